/* finding_read.c - see finding_read.h. Values that are wrong are errors; unknown fields are
 * ignored. */
#define _GNU_SOURCE
#include "finding_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_read_fail(struct pf_reader *r, const char *expected, const char *what)
{
    if (r->status != PF_OK)
        return;
    if (r->line)
        r->status =
            pf_fail(r->error, PF_BAD, "%s:%u: expected %s in %s", r->path, r->line, expected, what);
    else
        r->status = pf_fail(r->error, PF_BAD, "%s: expected %s in %s", r->path, expected, what);
}

void *pf_read_alloc(struct pf_reader *r, size_t size)
{
    return pf_pool_get(&r->f->pool, size ? size : 1);
}

const char *pf_read_copy(struct pf_reader *r, const char *s)
{
    size_t n = strlen(s);
    return memcpy(pf_read_alloc(r, n + 1), s, n + 1);
}

const char *pf_read_text(struct pf_reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (v && !json_is_string(v) && !json_is_null(v))
        pf_read_fail(r, "a string", key);
    return json_is_string(v) ? pf_read_copy(r, json_string_value(v)) : NULL;
}

uint64_t pf_read_number(struct pf_reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0) {
        pf_read_fail(r, "a number", key);
        return 0;
    }
    return (uint64_t)json_integer_value(v);
}

uint64_t pf_read_prefixed(struct pf_reader *r, const json_t *o, const char *key, const char *prefix,
                          int base)
{
    const char *s = json_string_value(json_object_get(o, key));
    size_t n = strlen(prefix);
    char *end = NULL;
    uint64_t v = s && !strncmp(s, prefix, n) && s[n] ? strtoull(s + n, &end, base) : 0;
    if (!end || *end)
        pf_read_fail(r, base == 16 ? "a hexadecimal string" : "a thread, T and a number", key);
    return v;
}

static uint32_t thread_of(struct pf_reader *r, const json_t *o, const char *key)
{
    return (uint32_t)pf_read_prefixed(r, o, key, "T", 10);
}

static int word_of(struct pf_reader *r, const json_t *o, const char *key, int (*from)(const char *))
{
    const char *s = json_string_value(json_object_get(o, key));
    int v = s ? from(s) : -1;
    if (v < 0)
        pf_read_fail(r, "a known word", key);
    return v < 0 ? 0 : v;
}

const json_t *pf_read_array(struct pf_reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_array(v))
        pf_read_fail(r, "an array", key);
    return v;
}

/* The lines as text, "41, 45"; NULL if there are none. */
static const char *read_merged_lines(struct pf_reader *r, const json_t *position)
{
    const json_t *v = json_object_get(position, "merged_lines");
    size_t n = json_array_size(v), at = 0;
    char *text = n ? pf_read_alloc(r, n * 22 + 1) : NULL;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, n * 22 + 1 - at, "%s%" JSON_INTEGER_FORMAT, i ? ", " : "",
                               json_integer_value(json_array_get(v, i)));
    return text;
}

static struct pf_backtrace read_stack(struct pf_reader *r, const json_t *o, const char *key)
{
    const json_t *v = pf_read_array(r, o, key);
    size_t n = json_array_size(v);
    struct pf_stack_frame *at = pf_read_alloc(r, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const json_t *p = json_array_get(v, i);
        at[i] = (struct pf_stack_frame){.function = pf_read_text(r, p, "function"),
                                        .file = pf_read_text(r, p, "file"),
                                        .merged_lines = read_merged_lines(r, p),
                                        .module = pf_read_text(r, p, "module"),
                                        .line = (uint32_t)pf_read_number(r, p, "line"),
                                        .column = (uint32_t)pf_read_number(r, p, "column"),
                                        .folded = json_is_true(json_object_get(p, "folded"))};
        if (json_object_get(p, "first_line"))
            at[i].first_line = (uint32_t)pf_read_number(r, p, "first_line");
    }
    return (struct pf_backtrace){at, n};
}

static void read_access(struct pf_reader *r, const json_t *o, struct pf_access *a)
{
    const json_t *held = pf_read_array(r, o, "held");
    a->nlocks = json_array_size(held);
    struct pf_lock *locks = pf_read_alloc(r, a->nlocks * sizeof *locks);
    for (size_t i = 0; i < a->nlocks; i++) {
        const json_t *l = json_array_get(held, i);
        const char *mode = json_string_value(json_object_get(l, "mode"));
        locks[i] = (struct pf_lock){.address = pf_read_prefixed(r, l, "address", "0x", 16),
                                    .name = pf_read_text(r, l, "name"),
                                    .shared = mode && !strcmp(mode, "read"),
                                    .first = json_is_true(json_object_get(l, "first")),
                                    .taken = read_stack(r, l, "stack")};
    }
    a->locks = locks;
    a->thread = thread_of(r, o, "thread");
    a->op = (enum pf_op)word_of(r, o, "op", pf_op_from);
    a->size = pf_read_number(r, o, "size");
    a->address = pf_read_prefixed(r, o, "address", "0x", 16);
    a->variable = pf_read_text(r, o, "variable");
    a->range = json_is_true(json_object_get(o, "range"));
    a->stack = read_stack(r, o, "stack");
}

static void read_location(struct pf_reader *r, const json_t *o, struct pf_location *l)
{
    l->kind = (enum pf_location_kind)word_of(r, o, "kind", pf_location_from);
    bool variable = l->kind == PF_LOCATION_GLOBAL ||
                    (l->kind == PF_LOCATION_STACK && json_is_string(json_object_get(o, "name")));
    if (variable) {
        l->name = pf_read_text(r, o, "name");
        l->file = pf_read_text(r, o, "file");
        l->line = (uint32_t)pf_read_number(r, o, "line");
    }
    bool descriptor = l->kind == PF_LOCATION_DESCRIPTOR;
    if (descriptor)
        l->address = pf_read_number(r, o, "number");
    if (variable || l->kind == PF_LOCATION_HEAP) {
        l->address = pf_read_prefixed(r, o, "address", "0x", 16);
        l->size = pf_read_number(r, o, "size");
    }
    if (descriptor || l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_STACK ||
        l->kind == PF_LOCATION_TLS)
        l->thread = thread_of(r, o, "thread");
    l->freed = json_is_true(json_object_get(o, "freed"));
    if (descriptor || l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_STACK)
        l->stack = read_stack(r, o, "stack");
}

static void read_threads(struct pf_reader *r, const json_t *o, struct pf_finding *f)
{
    const json_t *v = pf_read_array(r, o, "threads");
    f->nthreads = json_array_size(v);
    struct pf_thread_info *at = pf_read_alloc(r, f->nthreads * sizeof *at);
    for (size_t i = 0; i < f->nthreads; i++) {
        const json_t *a = json_array_get(v, i);
        const char *state = json_string_value(json_object_get(a, "state"));
        at[i] = (struct pf_thread_info){.number = thread_of(r, a, "thread"),
                                        .name = pf_read_text(r, a, "name"),
                                        .tid = (int64_t)pf_read_number(r, a, "tid"),
                                        .running = state && !strcmp(state, "running"),
                                        .created = read_stack(r, a, "stack")};
        if (at[i].number)
            at[i].parent = thread_of(r, a, "created_by");
    }
    f->threads = at;
}

struct pf_finding *pf_findings_find(struct pf_findings *f, uint64_t id)
{
    uint32_t at = pf_hash_map_find(&f->by_id, id);
    if (at == PF_HASH_NONE)
        return NULL;
    if (at >= f->n || f->at[at]->id != id) { /* findings were sorted or removed */
        pf_hash_map_clear(&f->by_id);
        for (size_t i = 0; i < f->n; i++)
            (void)pf_hash_map_put(&f->by_id, f->at[i]->id, (uint32_t)i);
        at = pf_hash_map_find(&f->by_id, id);
    }
    return at == PF_HASH_NONE ? NULL : f->at[at];
}

static const char *read_clip(struct pf_reader *r, const json_t *o, const char *key)
{
    const char *clip = pf_read_text(r, o, key);
    if (!clip || clip[0] == '/' || !r->folder)
        return clip;
    size_t n = strlen(r->folder) + strlen(clip) + 2;
    char *path = pf_read_alloc(r, n);
    snprintf(path, n, "%s/%s", r->folder, clip);
    return path;
}

static const struct pf_schedule_step *read_schedule_steps(struct pf_reader *r, const json_t *o,
                                                          const char *key, size_t *count)
{
    const json_t *v = json_object_get(o, key);
    size_t n = json_array_size(v);
    struct pf_schedule_step *at = pf_read_alloc(r, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const json_t *m = json_array_get(v, i);
        at[i] = (struct pf_schedule_step){.thread = thread_of(r, m, "thread"),
                                          .op = pf_read_text(r, m, "op"),
                                          .name = pf_read_text(r, m, "name"),
                                          .value = pf_read_text(r, m, "value"),
                                          .file = pf_read_text(r, m, "file"),
                                          .line = (uint32_t)pf_read_number(r, m, "line"),
                                          .marked = json_is_true(json_object_get(m, "marked")),
                                          .related = json_is_true(json_object_get(m, "related"))};
        if (!at[i].op)
            pf_read_fail(r, "a string", "op");
        const json_t *from = json_object_get(m, "from");
        if (from) {
            at[i].has_from = true;
            at[i].from = thread_of(r, from, "thread");
            at[i].from_file = pf_read_text(r, from, "file");
            at[i].from_line = (uint32_t)pf_read_number(r, from, "line");
        }
    }
    *count = n;
    return at;
}

static void read_schedules(struct pf_reader *r, const json_t *o, struct pf_finding *f)
{
    f->witness = read_schedule_steps(r, o, "interleaving", &f->nwitness);
    f->recorded = read_schedule_steps(r, o, "recorded", &f->nrecorded);
    f->recording = read_clip(r, o, "recording");
}

static void read_input(struct pf_reader *r, const json_t *o, struct pf_finding *f)
{
    const json_t *input = json_object_get(o, "input");
    if (!json_is_object(input))
        return;
    f->input = read_clip(r, input, "folder");
    f->command = pf_read_text(r, input, "command");
}

static void read_stages(struct pf_reader *r, const json_t *o, struct pf_finding *f)
{
    const json_t *stages = json_object_get(o, "stages");
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *s = json_array_get(stages, i);
        const char *stage = pf_read_text(r, s, "stage");
        if (!stage)
            pf_read_fail(r, "a string", "stage");
        else
            pf_findings_add_stage(
                r->f, f, stage, pf_read_text(r, s, "analysis"),
                (enum pf_finding_status)word_of(r, s, "status", pf_finding_status_from),
                pf_read_number(r, s, "count"));
    }
    if (!json_array_size(stages))
        pf_findings_add_stage(
            r->f, f, r->stage, pf_read_text(r, o, "analysis"),
            (enum pf_finding_status)word_of(r, o, "status", pf_finding_status_from),
            pf_read_number(r, o, "count"));
}

/* Why the finding does not count; NULL: it counts, as every finding without the field does. */
static const char *read_suspicious(struct pf_reader *r, const json_t *o)
{
    const json_t *counts = json_object_get(o, "counts");
    const char *why = pf_read_text(r, o, "suspicious");
    if (counts && !json_is_boolean(counts))
        pf_read_fail(r, "true or false", "counts");
    return !json_is_false(counts) ? NULL : why ? why : "not shown to matter";
}

/* Reads the accesses with their memory and threads. */
static void read_accesses(struct pf_reader *r, const json_t *o, struct pf_finding *f)
{
    const json_t *accesses = pf_read_array(r, o, "accesses");
    f->naccesses = json_array_size(accesses);
    f->accesses = pf_read_alloc(r, f->naccesses * sizeof *f->accesses);
    for (size_t i = 0; i < f->naccesses; i++)
        read_access(r, json_array_get(accesses, i), &f->accesses[i]);
    f->location = (struct pf_location){0};
    read_location(r, json_object_get(o, "location"), &f->location);
    f->sleep = json_object_get(o, "sleep") ? read_stack(r, o, "sleep") : (struct pf_backtrace){0};
    read_threads(r, o, f);
}

/* The class; NULL: it is not judged. */
static const char *read_verdict(struct pf_reader *r, const json_t *o)
{
    const json_t *v = json_object_get(o, "judged");
    const char *word = pf_read_text(r, json_is_object(v) ? v : o, "class");
    if (word && pf_judge_class_from(word) < 0)
        pf_read_fail(r, "a class", "class");
    return word;
}

static const struct pf_judged *read_judged(struct pf_reader *r, const json_t *o)
{
    const json_t *v = json_object_get(o, "judged"), *list = json_object_get(v, "evidence");
    if (!v || json_is_null(v))
        return NULL;
    size_t n = json_array_size(list);
    struct pf_judged *j = pf_read_alloc(r, sizeof *j);
    struct pf_judged_evidence *at = pf_read_alloc(r, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(list, i);
        at[i] = (struct pf_judged_evidence){.kind = pf_read_text(r, x, "kind"),
                                            .text = pf_read_text(r, x, "text"),
                                            .clip = read_clip(r, x, "clip")};
        if (!at[i].kind)
            pf_read_fail(r, "a string", "kind");
    }
    *j = (struct pf_judged){.k = pf_read_number(r, v, "k"),
                            .paths = pf_read_number(r, v, "paths"),
                            .schedules = pf_read_number(r, v, "schedules"),
                            .ms = pf_read_number(r, v, "ms"),
                            .cpu_ms = (uint64_t)json_integer_value(json_object_get(v, "cpu_ms")),
                            .memory = pf_read_text(r, v, "memory"),
                            .reason = pf_read_text(r, v, "reason"),
                            .adhoc = json_is_true(json_object_get(v, "adhoc")),
                            .incomplete = json_is_true(json_object_get(v, "incomplete")),
                            .evidence = at,
                            .nevidence = n};
    return j;
}

/* A number that may be missing, which means 0. */
static unsigned read_optional(struct pf_reader *r, const json_t *o, const char *key)
{
    return json_object_get(o, key) ? (unsigned)pf_read_number(r, o, key) : 0;
}

/* True if a verdict replaces the one that the finding has. A finding may have been judged several
 * times, with other options; the worst verdict counts, except that undecided counts least. */
static bool is_worse(const struct pf_finding *old, const char *verdict)
{
    int now = verdict ? pf_judge_class_from(verdict) : -1,
        before = old->verdict ? pf_judge_class_from(old->verdict) : -1;
    if (now < 0 || before < 0 || before == PF_JUDGED_UNDECIDED)
        return now >= 0;
    return now < before && now != PF_JUDGED_UNDECIDED;
}

/* Merges the same finding from another source into `old`: the more certain status wins; it counts
 * if either does. */
static void merge(struct pf_reader *r, struct pf_finding *old, const json_t *o)
{
    enum pf_finding_status status =
        (enum pf_finding_status)word_of(r, o, "status", pf_finding_status_from);
    const char *harm = pf_read_text(r, o, "harm"), *clip = read_clip(r, o, "clip");
    const char *suspicious = read_suspicious(r, o);
    bool counts_now = old->suspicious && !suspicious;
    old->count += pf_read_number(r, o, "count");
    old->tries += read_optional(r, o, "tries");
    if (pf_finding_surer(old->status, status) != old->status) {
        old->status = status;
        old->analysis = pf_read_text(r, o, "analysis");
        old->suspicious = old->suspicious ? suspicious : NULL;
    }
    if (counts_now)
        old->suspicious = NULL;
    if (clip && (!old->clip || counts_now || (harm && !old->harm))) {
        old->clip = clip;
        old->child = pf_read_text(r, o, "child");
        read_input(r, o, old);
        old->harm = harm;
        old->signal = (int)read_optional(r, o, "signal");
        old->nwitness = 0;
        read_accesses(r, o, old); /* so that the report shows the accesses of this clip */
    }
    if (!old->unconfirmed)
        old->unconfirmed = pf_read_text(r, o, "unconfirmed");
    if (old->status == PF_STATUS_CONFIRMED)
        old->unconfirmed = NULL;
    if (!old->nwitness)
        read_schedules(r, o, old);
    if (is_worse(old, read_verdict(r, o))) {
        old->verdict = read_verdict(r, o);
        old->judged = read_judged(r, o);
    }
    enum pf_kind kind = (enum pf_kind)word_of(r, o, "kind", pf_kind_from);
    if (old->kind == PF_KIND_RACE && pf_kind_is_race(kind))
        old->kind = kind; /* the more exact one */
    if (old->location.kind == PF_LOCATION_UNKNOWN)
        read_location(r, json_object_get(o, "location"), &old->location);
}

struct pf_finding *pf_read_finding(struct pf_reader *r, const json_t *o)
{
    uint64_t id = pf_read_prefixed(r, o, "id", "", 16);
    struct pf_finding *old = pf_findings_find(r->f, id);
    if (old) {
        merge(r, old, o);
        read_stages(r, o, old);
        return old;
    }
    struct pf_finding *f = pf_read_alloc(r, sizeof *f);
    f->id = id;
    f->kind = (enum pf_kind)word_of(r, o, "kind", pf_kind_from);
    f->status = (enum pf_finding_status)word_of(r, o, "status", pf_finding_status_from);
    f->analysis = pf_read_text(r, o, "analysis");
    f->verdict = read_verdict(r, o);
    f->judged = read_judged(r, o);
    f->clip = read_clip(r, o, "clip");
    f->child = pf_read_text(r, o, "child");
    read_input(r, o, f);
    f->harm = pf_read_text(r, o, "harm");
    f->signal = (int)read_optional(r, o, "signal");
    f->unconfirmed = pf_read_text(r, o, "unconfirmed");
    f->suspicious = read_suspicious(r, o);
    f->count = pf_read_number(r, o, "count");
    f->tries = read_optional(r, o, "tries");
    read_accesses(r, o, f);
    read_schedules(r, o, f);
    if (r->status)
        return NULL;
    read_stages(r, o, f);
    pf_findings_push(r->f, f);
    return f;
}
