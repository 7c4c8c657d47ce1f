/* sarif.c - see sarif.h. */
#define _GNU_SOURCE
#include "sarif.h"
#include "allocation.h"
#include "finding_group.h"
#include "finding_json.h"
#include "finding_text.h"
#include "narrative.h"
#include "sarif_level.h"
#include "sarif_rules.h"
#include "text_format.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define MAX_RESULTS 25000
#define MAX_FRAMES 100
#define MAX_TESTS 100 /* names of tests that have seen a finding */
#define MAX_MEMBERS 100

struct sarif_writer {
    struct pf_text *t;
    char *here; /* the base folder of relative names, with a trailing slash */
};

/* --- positions --- */

/* Writes a path as (part of) a URI. */
static void add_uri(struct pf_text *t, const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    pf_text_char(t, '"');
    if (path[0] == '/')
        pf_text_add(t, "file://");
    for (const unsigned char *s = (const unsigned char *)path; *s; s++)
        if (isalnum(*s) || strchr("/-._~", *s)) {
            pf_text_char(t, (char)*s);
        } else {
            pf_text_char(t, '%');
            pf_text_char(t, hex[*s >> 4]);
            pf_text_char(t, hex[*s & 15]);
        }
    pf_text_char(t, '"');
}

/* Makes names below the base folder relative to it, so that the result fits any checkout. */
static const char *shorten(const struct sarif_writer *w, const char *file)
{
    size_t n = w->here ? strlen(w->here) : 0;
    if (n && !strncmp(file, w->here, n) && file[n])
        file += n;
    while (file[0] == '.' && file[1] == '/')
        file += 2;
    return file;
}

static void add_physical(struct sarif_writer *w, const char *file, uint32_t line, uint32_t column)
{
    struct pf_text *t = w->t;
    const char *name = shorten(w, file);
    pf_json_key(t, "physicalLocation");
    pf_text_char(t, '{');
    pf_json_key(t, "artifactLocation");
    pf_text_char(t, '{');
    pf_json_key(t, "uri");
    add_uri(t, name);
    if (name[0] != '/')
        pf_json_str(t, "uriBaseId", "SRCROOT");
    pf_text_char(t, '}');
    if (line) {
        pf_json_key(t, "region");
        pf_text_char(t, '{');
        pf_json_num(t, "startLine", line);
        if (column)
            pf_json_num(t, "startColumn", column);
        pf_text_char(t, '}');
    }
    pf_text_char(t, '}');
}

static void add_message(struct pf_text *t, const struct pf_text *message)
{
    pf_json_key(t, "message");
    pf_text_char(t, '{');
    pf_json_key(t, "text");
    pf_text_json_bytes(t, message->at, message->n);
    pf_text_char(t, '}');
}

/* Writes { physicalLocation, logicalLocations, message }, without what is unknown. */
static void add_location(struct sarif_writer *w, const struct pf_stack_frame *p,
                         const struct pf_text *message, uint64_t id)
{
    struct pf_text *t = w->t;
    pf_text_char(t, '{');
    if (id)
        pf_json_num(t, "id", id);
    if (p && p->file)
        add_physical(w, p->file, p->line, p->column);
    if (p && p->function) {
        pf_json_key(t, "logicalLocations");
        pf_text_add(t, "[{");
        pf_json_str(t, "fullyQualifiedName", p->function);
        pf_json_str(t, "kind", "function");
        pf_text_add(t, "}]");
    }
    if (message)
        add_message(t, message);
    if (p && p->merged_lines) {
        pf_json_key(t, "properties");
        pf_text_char(t, '{');
        pf_json_merged_lines(t, p);
        pf_text_char(t, '}');
    }
    pf_text_char(t, '}');
}

static void add_stack(struct sarif_writer *w, const struct pf_backtrace *stack,
                      const struct pf_text *message)
{
    struct pf_text *t = w->t;
    pf_text_char(t, '{');
    if (message)
        add_message(t, message);
    pf_json_key(t, "frames");
    pf_text_char(t, '[');
    for (size_t i = 0; i < stack->n && i < MAX_FRAMES; i++) {
        pf_text_add(t, i ? "," : "");
        pf_text_char(t, '{');
        pf_json_key(t, "location");
        add_location(w, &stack->at[i], NULL, 0);
        if (stack->at[i].module)
            pf_json_str(t, "module", pf_str_base(stack->at[i].module));
        pf_text_char(t, '}');
    }
    pf_text_add(t, "]}");
}

/* --- a result --- */

static void access_text(struct pf_text *t, const struct pf_finding *f, const struct pf_access *a)
{
    struct pf_narrative_step s = {.kind = PF_NARRATIVE_ACCESS, .access = a, .thread = a->thread};
    pf_thread_text(t, f, a->thread);
    pf_text_char(t, ' ');
    pf_narrative_step_text(t, f, &s);
}

/* Writes the message, with a link to the other access if there is one. Brackets in names
 * (operator[]) are escaped, because they would look like a link. */
static void add_message_linked(struct pf_text *t, const struct pf_text *plain, bool link,
                               struct pf_pool *pool)
{
    struct pf_text m;
    pf_text_init(&m, pool);
    for (size_t i = 0; i < plain->n; i++) {
        if (strchr("[]\\", plain->at[i]))
            pf_text_char(&m, '\\');
        pf_text_char(&m, plain->at[i]);
    }
    pf_text_add(&m, link ? " [here](1)" : "");
    add_message(t, &m);
}

/* The other members of the group: the position and the title of each. */
static void add_related_members(struct sarif_writer *w, const struct pf_finding *const *at,
                                size_t n, uint64_t id, struct pf_pool *pool)
{
    struct pf_text m;
    for (size_t i = 1; i < n && i <= MAX_MEMBERS; i++) {
        size_t first = pf_finding_first(at[i]);
        if (!at[i]->naccesses)
            continue;
        pf_text_init(&m, pool);
        pf_text_add(&m, "same cause: ");
        pf_finding_title(&m, at[i]);
        pf_text_add(w->t, id ? "," : "");
        add_location(w, pf_backtrace_source(&at[i]->accesses[first].stack), &m, ++id);
    }
}

/* All accesses except the result's own location; then the memory, the threads, and the other
 * members of the group. */
static void add_related(struct sarif_writer *w, const struct pf_finding *const *at, size_t n,
                        size_t first, struct pf_pool *pool)
{
    const struct pf_finding *f = at[0];
    struct pf_text *t = w->t, m;
    uint64_t id = 0;
    pf_json_key(t, "relatedLocations");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i];
        if (i == first)
            continue;
        pf_text_init(&m, pool);
        access_text(&m, f, a);
        pf_text_add(t, id ? "," : "");
        add_location(w, pf_backtrace_source(&a->stack), &m, ++id);
    }
    const struct pf_location *l = &f->location;
    if (l->kind == PF_LOCATION_GLOBAL && l->file) {
        struct pf_stack_frame p = {.file = l->file, .line = l->line};
        pf_text_init(&m, pool);
        pf_memory_text(&m, f);
        pf_text_add(t, id ? "," : "");
        add_location(w, &p, &m, ++id);
    } else if ((l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_DESCRIPTOR) && l->stack.n) {
        pf_text_init(&m, pool);
        pf_thread_text(&m, f, l->thread);
        pf_text_add(&m,
                    l->kind == PF_LOCATION_HEAP ? " allocates the block" : " opens the descriptor");
        pf_text_add(t, id ? "," : "");
        add_location(w, pf_backtrace_source(&l->stack), &m, ++id);
    }
    for (size_t i = 0; i < f->nthreads; i++) {
        const struct pf_thread_info *a = &f->threads[i];
        if (!a->number || !a->created.n)
            continue;
        pf_text_init(&m, pool);
        pf_thread_text(&m, f, a->number);
        pf_text_add(&m, " is created here");
        pf_text_add(t, id ? "," : "");
        add_location(w, pf_backtrace_source(&a->created), &m, ++id);
    }
    add_related_members(w, at, n, id, pool);
    pf_text_char(t, ']');
}

static void add_step(struct sarif_writer *w, const struct pf_finding *f,
                     const struct pf_narrative_step *s, uint64_t order, struct pf_pool *pool)
{
    static const char *const kinds[] = {[PF_NARRATIVE_CREATE] = "[\"call\",\"function\"]",
                                        [PF_NARRATIVE_LOCK] = "[\"acquire\",\"lock\"]",
                                        [PF_NARRATIVE_ACCESS] = "[\"danger\",\"memory\"]"};
    struct pf_text *t = w->t, m;
    pf_text_init(&m, pool);
    pf_thread_text(&m, f, s->thread);
    pf_text_char(&m, ' ');
    pf_narrative_step_text(&m, f, s);
    pf_text_char(t, '{');
    pf_json_key(t, "location");
    add_location(w, pf_backtrace_source(s->stack), &m, 0);
    if (s->stack->n) {
        pf_json_key(t, "stack");
        add_stack(w, s->stack, NULL);
    }
    pf_json_key(t, "kinds");
    pf_text_add(t, kinds[s->kind]);
    pf_json_num(t, "nestingLevel", s->kind == PF_NARRATIVE_ACCESS ? 0 : 1);
    pf_json_num(t, "executionOrder", order);
    pf_json_str(t, "importance", s->kind == PF_NARRATIVE_ACCESS ? "essential" : "important");
    pf_text_char(t, '}');
}

/* One step of the finding's schedule. */
static void add_schedule_step(struct sarif_writer *w, const struct pf_finding *f, size_t i,
                              struct pf_pool *pool)
{
    const struct pf_schedule_step *m = &f->witness[i];
    struct pf_stack_frame p = {.file = m->file, .line = m->line};
    struct pf_text *t = w->t, words;
    pf_text_init(&words, pool);
    pf_thread_text(&words, f, m->thread);
    pf_text_add(&words, ": ");
    pf_schedule_step_text(&words, m);
    pf_text_char(t, '{');
    pf_json_key(t, "location");
    add_location(w, &p, &words, 0);
    pf_json_num(t, "executionOrder", i + 1);
    pf_json_str(t, "importance", m->marked ? "essential" : "important");
    pf_text_char(t, '}');
}

static void add_flow(struct sarif_writer *w, const struct pf_finding *f, struct pf_pool *pool)
{
    struct pf_text *t = w->t;
    struct pf_narrative narrative = pf_narrative_of(f, false, pool);
    pf_json_key(t, "codeFlows");
    pf_text_add(t, "[{");
    pf_json_key(t, "threadFlows");
    pf_text_add(t, "[{");
    pf_json_key(t, "locations");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->nwitness; i++) {
        pf_text_add(t, i ? "," : "");
        add_schedule_step(w, f, i, pool);
    }
    for (size_t i = 0; i < narrative.n && !f->nwitness; i++) {
        pf_text_add(t, i ? "," : "");
        add_step(w, f, &narrative.at[i], i + 1, pool);
    }
    pf_text_add(t, "]}]}]");
}

static void add_id(struct pf_text *t, const char *key, uint64_t id)
{
    pf_json_key(t, key);
    pf_text_char(t, '"');
    pf_text_hex(t, id, 16);
    pf_text_char(t, '"');
}

/* The other findings with the same cause. */
static void add_members(struct pf_text *t, const struct pf_finding *const *at, size_t n)
{
    pf_json_key(t, "sameCause");
    pf_text_char(t, '[');
    for (size_t i = 1; i < n; i++) {
        pf_text_add(t, i > 1 ? ",{" : "{");
        add_id(t, "id", at[i]->id);
        pf_json_str(t, "kind", pf_kind_name(at[i]->kind));
        pf_json_str(t, "status", pf_finding_status_name(at[i]->status));
        pf_json_num(t, "count", at[i]->count);
        pf_json_bool(t, "counts", !at[i]->suspicious);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

static void add_properties(struct pf_text *t, const struct pf_finding *const *at, size_t n)
{
    const struct pf_finding *f = at[0];
    pf_json_key(t, "properties");
    pf_text_char(t, '{');
    if (n > 1)
        add_members(t, at, n);
    pf_json_str(t, "status", pf_finding_status_name(f->status));
    pf_json_str(t, "analysis", f->analysis);
    pf_json_str(t, "class", f->verdict);
    pf_json_str(t, "clip", f->clip);
    pf_json_bool(t, "counts", !f->suspicious);
    if (f->suspicious)
        pf_json_str(t, "suspicious", f->suspicious);
    if (f->harm)
        pf_json_str(t, "harm", f->harm);
    if (f->stages) {
        pf_json_key(t, "stages");
        pf_text_char(t, '[');
        for (const struct pf_stage *s = f->stages; s; s = s->next) {
            pf_text_add(t, s == f->stages ? "" : ",");
            pf_text_json(t, s->stage);
        }
        pf_text_char(t, ']');
    }
    if (f->seen) {
        pf_json_num(t, "executions", f->seen->executions);
        pf_json_key(t, "tests");
        pf_text_char(t, '[');
        for (size_t i = 0; i < f->seen->ntests && i < MAX_TESTS; i++) {
            pf_text_add(t, i ? "," : "");
            pf_text_json(t, f->seen->tests[i]);
        }
        pf_text_char(t, ']');
    }
    pf_text_char(t, '}');
}

/* True if all findings that count are accepted. If none counts: true if all are accepted. */
static bool is_accepted(const struct pf_finding *const *at, size_t n,
                        const struct pf_baseline *base)
{
    bool counts = false;
    for (size_t i = 0; i < n; i++)
        counts |= !at[i]->suspicious;
    for (size_t i = 0; i < n; i++)
        if (!(counts && at[i]->suspicious) && !pf_baseline_has(base, at[i]->id))
            return false;
    return true;
}

/* One result for a group of n findings: the first member, with the others' positions as related
 * locations. */
static void add_result(struct sarif_writer *w, const struct pf_finding *const *at, size_t n,
                       const struct pf_baseline *base)
{
    const struct pf_finding *f = at[0];
    struct pf_text *t = w->t, m;
    struct pf_pool pool;
    pf_pool_init_malloc(&pool);
    size_t one = pf_finding_first(f);
    pf_text_char(t, '{');
    pf_json_str(t, "ruleId", pf_kind_name(f->kind));
    pf_json_num(t, "ruleIndex", f->kind);
    pf_json_str(t, "level", pf_sarif_level(f));
    pf_json_num(t, "rank", pf_sarif_rank(f));
    pf_text_init(&m, &pool);
    pf_finding_title(&m, f);
    for (size_t i = 0; i < f->naccesses && i < 2; i++) {
        pf_text_add(&m, !i ? ": " : pf_kind_is_memory_error(f->kind) ? " after " : " while ");
        access_text(&m, f, &f->accesses[i ^ one]);
    }
    add_message_linked(t, &m, f->naccesses > 1, &pool);
    pf_json_key(t, "locations");
    pf_text_char(t, '[');
    if (f->naccesses) {
        pf_text_init(&m, &pool);
        access_text(&m, f, &f->accesses[one]);
        add_location(w, pf_backtrace_source(&f->accesses[one].stack), &m, 0);
    }
    pf_text_char(t, ']');
    add_related(w, at, n, one, &pool);
    add_flow(w, f, &pool);
    pf_json_key(t, "stacks");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i ^ one];
        pf_text_add(t, i ? "," : "");
        pf_text_init(&m, &pool);
        access_text(&m, f, a);
        add_stack(w, &a->stack, &m);
    }
    pf_text_char(t, ']');
    pf_json_key(t, "partialFingerprints");
    pf_text_char(t, '{');
    add_id(t, "photofinish/v1", f->id);
    add_id(t, "photofinish/group/v1", f->group);
    pf_text_char(t, '}');
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += at[i]->count;
    pf_json_num(t, "occurrenceCount", count);
    if (base)
        pf_json_str(t, "baselineState", is_accepted(at, n, base) ? "unchanged" : "new");
    add_properties(t, at, n);
    pf_text_char(t, '}');
    pf_pool_release(&pool);
}

/* --- the run --- */

static void add_notification(struct pf_text *t, const char *text, size_t n)
{
    pf_text_char(t, '{');
    pf_json_str(t, "level", "warning");
    pf_json_key(t, "message");
    pf_text_char(t, '{');
    pf_json_key(t, "text");
    pf_text_json_bytes(t, text, n);
    pf_text_add(t, "}}");
}

/* Writes the reasons why the result is incomplete, one notification per line. */
static void add_invocation(struct pf_text *t, const struct pf_findings *f)
{
    struct pf_pool pool;
    struct pf_text m;
    bool some = false;
    pf_pool_init_malloc(&pool);
    pf_text_init(&m, &pool);
    pf_findings_losses(&m, f);
    size_t results = 0;
    for (size_t i = 0; i < f->n; i = pf_findings_group_end(f, i))
        results++;
    if (results > MAX_RESULTS) {
        pf_text_u64(&m, results - MAX_RESULTS);
        pf_text_add(&m, " results were left out: SARIF results are limited to 25000\n");
    }
    pf_json_key(t, "invocations");
    pf_text_add(t, "[{");
    pf_json_bool(t, "executionSuccessful", pf_findings_complete(f));
    pf_json_key(t, "toolExecutionNotifications");
    pf_text_char(t, '[');
    for (const char *at = m.at, *end = m.at + m.n; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        pf_text_add(t, some ? "," : "");
        add_notification(t, at, (size_t)(stop - at));
        some = true;
        at = stop + 1;
    }
    pf_text_add(t, "]}]");
    pf_pool_release(&pool);
}

void pf_sarif(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base)
{
    char *here = getcwd(NULL, 0); /* NULL: the folder was removed */
    struct sarif_writer w = {t, NULL};
    if (here)
        w.here = pf_mem_format("%s%s", here, strcmp(here, "/") ? "/" : "");
    free(here);
    pf_text_char(t, '{');
    pf_json_str(t, "$schema", SCHEMA);
    pf_json_str(t, "version", "2.1.0");
    pf_json_key(t, "runs");
    pf_text_add(t, "[{");
    pf_json_key(t, "tool");
    pf_text_char(t, '{');
    pf_json_key(t, "driver");
    pf_text_char(t, '{');
    pf_json_str(t, "name", "photofinish");
    pf_json_str(t, "version", PF_VERSION);
    pf_json_str(t, "semanticVersion", PF_VERSION);
    pf_sarif_rules(t);
    pf_text_add(t, "}}");
    add_invocation(t, f);
    if (w.here) {
        pf_json_key(t, "originalUriBaseIds");
        pf_text_char(t, '{');
        pf_json_key(t, "SRCROOT");
        pf_text_char(t, '{');
        pf_json_key(t, "uri");
        add_uri(t, w.here);
        pf_text_add(t, "}}");
    }
    pf_json_str(t, "columnKind", "unicodeCodePoints");
    pf_json_key(t, "results");
    pf_text_char(t, '[');
    for (size_t i = 0, end, results = 0; i < f->n && results < MAX_RESULTS; i = end) {
        end = pf_findings_group_end(f, i);
        pf_text_add(t, results++ ? ",\n" : "\n");
        add_result(&w, (const struct pf_finding *const *)f->at + i, end - i, base);
    }
    pf_text_add(t, "]}]}\n");
    free(w.here);
}
