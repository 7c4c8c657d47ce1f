/* html.c - see html.h. The data is { document: the JSON document, more: what the page shows of
 * each finding in addition, sources: file -> line -> text, losses, version }. Inside a script
 * element only "<" could end the element, so it is written as an escape. */
#define _GNU_SOURCE
#include "html.h"
#include "finding_group.h"
#include "finding_json.h"
#include "fnv.h"
#include "hash_map.h"
#include "narrative.h"
#include "text_format.h"
#include "vector.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "@@PF-DATA@@"
#define AROUND_ACCESS 6
#define AROUND_FRAME 4
#define MAX_LINE 400 /* most bytes of a source line */

__asm__(".section .rodata\n"
        "pf_page_begin: .incbin \"" PF_PAGE "\"\n"
        "pf_page_end: .byte 0\n"
        ".previous\n");
extern const char pf_page_begin[], pf_page_end[];

/* --- narratives --- */

static void add_position(struct pf_text *t, const struct pf_backtrace *stack)
{
    const struct pf_stack_frame *p = pf_backtrace_source(stack);
    if (p) {
        pf_json_str(t, "function", p->function);
        pf_json_str(t, "file", p->file);
        pf_json_num(t, "line", p->line);
    }
}

static void add_thread(struct pf_text *t, const char *key, uint32_t number)
{
    pf_json_key(t, key);
    pf_text_add(t, "\"T");
    pf_text_u64(t, number);
    pf_text_char(t, '"');
}

static void add_step(struct pf_text *t, const struct pf_finding *f,
                     const struct pf_narrative_step *s, struct pf_pool *pool)
{
    static const char *const kinds[] = {[PF_NARRATIVE_CREATE] = "create",
                                        [PF_NARRATIVE_LOCK] = "lock",
                                        [PF_NARRATIVE_ACCESS] = "access"};
    struct pf_text words;
    pf_text_init(&words, pool);
    pf_narrative_step_text(&words, f, s);
    pf_text_char(t, '{');
    pf_json_str(t, "kind", kinds[s->kind]);
    add_thread(t, "thread", s->thread);
    if (s->kind == PF_NARRATIVE_CREATE)
        add_thread(t, "starts", s->other);
    else
        pf_json_num(t, "access", s->number);
    if (s->kind == PF_NARRATIVE_LOCK) {
        char name[24];
        snprintf(name, sizeof name, "M%zu", pf_finding_lock_number(f, s->lock->address));
        pf_json_str(t, "lock", s->lock->name ? s->lock->name : name);
    }
    pf_json_key(t, "text");
    pf_text_json_bytes(t, words.at, words.n);
    add_position(t, s->stack);
    pf_text_char(t, '}');
}

static void add_narrative(struct pf_text *t, const char *key, const struct pf_finding *f,
                          bool swapped, struct pf_pool *pool)
{
    struct pf_narrative narrative = pf_narrative_of(f, swapped, pool);
    pf_json_key(t, key);
    pf_text_char(t, '[');
    for (size_t i = 0; i < narrative.n; i++) {
        pf_text_add(t, i ? "," : "");
        add_step(t, f, &narrative.at[i], pool);
    }
    pf_text_char(t, ']');
}

static void add_more(struct pf_text *t, const struct pf_finding *f, const struct pf_baseline *base)
{
    struct pf_pool pool;
    struct pf_text title;
    pf_pool_init_malloc(&pool);
    pf_text_init(&title, &pool);
    pf_finding_title(&title, f);
    pf_text_char(t, '{');
    pf_json_key(t, "title");
    pf_text_json_bytes(t, title.at, title.n);
    uint64_t object = pf_finding_object(f);
    if (object) {
        char name[24]; /* as text: numbers of JavaScript have 53 bits */
        snprintf(name, sizeof name, "%" PRIx64, object);
        pf_json_str(t, "object", name);
    }
    if (base)
        pf_json_bool(t, "accepted", pf_baseline_has(base, f->id));
    add_narrative(t, "narrative", f, false, &pool);
    if (pf_finding_is_pair(f))
        add_narrative(t, "swapped", f, true, &pool);
    pf_text_char(t, '}');
    pf_pool_release(&pool);
}

/* --- sources --- */

/* The lines to include from one file: a growing set of numbers. */
struct wanted_lines {
    const char *file, *module;
    PF_VEC(uint8_t) lines; /* one bit each */
};

struct source_collector {
    PF_VEC(struct wanted_lines) files;
    struct pf_hash_map by_name; /* hash of the name: indices into `files` */
};

static struct wanted_lines *want_file(struct source_collector *c, const struct pf_stack_frame *p)
{
    uint64_t hash = pf_fnv_text(PF_FNV_START, p->file);
    struct pf_hash_walk w = pf_hash_map_walk(&c->by_name, hash);
    while (pf_hash_map_next(&c->by_name, &w))
        if (!strcmp(c->files.at[w.value].file, p->file))
            return &c->files.at[w.value];
    pf_hash_map_add(&c->by_name, hash, (uint32_t)c->files.len);
    pf_vec_push(&c->files, (struct wanted_lines){.file = p->file, .module = p->module});
    return &c->files.at[c->files.len - 1];
}

static void want_lines(struct source_collector *c, const struct pf_stack_frame *p, uint32_t around)
{
    if (!p || !p->file || !p->line || p->line > (1u << 24))
        return;
    struct wanted_lines *w = want_file(c, p);
    for (size_t need = (p->line + around) / 8 + 1; w->lines.len < need;)
        pf_vec_push(&w->lines, 0);
    for (uint32_t n = p->line > around ? p->line - around : 1; n <= p->line + around; n++)
        w->lines.at[n / 8] |= (uint8_t)(1u << n % 8);
}

static void want_stack(struct source_collector *c, const struct pf_backtrace *t)
{
    for (size_t i = 0; i < t->n; i++)
        want_lines(c, &t->at[i], AROUND_FRAME);
}

static void want_finding(struct source_collector *c, const struct pf_finding *f)
{
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i];
        want_lines(c, pf_backtrace_source(&a->stack), AROUND_ACCESS);
        want_stack(c, &a->stack);
    }
    for (size_t i = 0; i < f->nthreads; i++)
        want_stack(c, &f->threads[i].created);
    want_stack(c, &f->location.stack);
}

static void add_lines(struct pf_text *t, struct wanted_lines *w, struct pf_sources *sources)
{
    pf_json_key(t, w->file); /* escaped, because the name comes from the user */
    pf_text_char(t, '{');
    for (uint32_t n = 1; n < 8 * w->lines.len; n++) {
        size_t len;
        const char *s = w->lines.at[n / 8] >> n % 8 & 1
                            ? pf_sources_line(sources, w->file, w->module, n, &len)
                            : NULL;
        char number[16];
        if (!s)
            continue;
        snprintf(number, sizeof number, "%u", n);
        pf_json_key(t, number);
        pf_text_json_bytes(t, s, len < MAX_LINE ? len : MAX_LINE);
    }
    pf_text_char(t, '}');
}

static void add_sources(struct pf_text *t, const struct pf_findings *f, struct pf_sources *sources)
{
    struct source_collector c = {0};
    for (size_t i = 0; i < f->n; i++)
        want_finding(&c, f->at[i]);
    pf_json_key(t, "sources");
    pf_text_char(t, '{');
    for (size_t i = c.files.len; i-- > 0;) {
        add_lines(t, &c.files.at[i], sources);
        pf_vec_release(&c.files.at[i].lines);
    }
    pf_text_char(t, '}');
    pf_vec_release(&c.files);
    pf_hash_map_release(&c.by_name);
}

/* --- the page --- */

static void add_data(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base,
                     struct pf_sources *sources, struct pf_pool *pool)
{
    const struct pf_process *p = f->processes;
    struct pf_text losses;
    pf_text_char(t, '{');
    pf_json_str(t, "version", PF_VERSION);
    pf_json_key(t, "document");
    pf_findings_json(t, f, p ? p->command : NULL, p ? p->ncommand : 0);
    /* the document ends with a newline, after which pf_json_key writes no comma */
    pf_text_add(t, ",\n");
    pf_json_key(t, "more");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->n; i++) {
        pf_text_add(t, i ? "," : "");
        add_more(t, f->at[i], base);
    }
    pf_text_char(t, ']');
    add_sources(t, f, sources);
    pf_text_init(&losses, pool);
    pf_findings_losses(&losses, f);
    pf_json_key(t, "losses");
    pf_text_json_bytes(t, losses.at, losses.n);
    pf_text_char(t, '}');
}

pf_status pf_html(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base,
                  struct pf_sources *sources, struct pf_error *e)
{
    size_t size = (size_t)(pf_page_end - pf_page_begin);
    const char *mark = memmem(pf_page_begin, size, MARK, sizeof MARK - 1);
    struct pf_pool pool;
    struct pf_text data;
    if (!mark)
        return pf_fail(e, PF_BAD, "--html: not available: this pf was built without node and npm");
    pf_pool_init_malloc(&pool);
    pf_text_init(&data, &pool);
    add_data(&data, f, base, sources, &pool);
    pf_text_bytes(t, pf_page_begin, (size_t)(mark - pf_page_begin));
    for (size_t from = 0, i = 0; i <= data.n; i++)
        if (i == data.n || data.at[i] == '<') {
            pf_text_bytes(t, data.at + from, i - from);
            if (i < data.n)
                pf_text_add(t, "\\u003c");
            from = i + 1;
        }
    pf_text_bytes(t, mark + sizeof MARK - 1, (size_t)(pf_page_end - mark) - (sizeof MARK - 1));
    pf_pool_release(&pool);
    return PF_OK;
}
