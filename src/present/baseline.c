/* baseline.c - see baseline.h. */
#include "baseline.h"
#include "file.h"
#include "finding_json.h"
#include "json_field.h"
#include "narrative.h"
#include "text_format.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void pf_baseline_init(struct pf_baseline *b)
{
    *b = (struct pf_baseline){0};
    pf_pool_init_malloc(&b->pool);
}

void pf_baseline_release(struct pf_baseline *b)
{
    pf_pool_release(&b->pool);
    *b = (struct pf_baseline){0};
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct pf_accepted *)a)->id, y = ((const struct pf_accepted *)b)->id;
    return (x > y) - (x < y);
}

static const struct pf_accepted *find(const struct pf_baseline *b, uint64_t id)
{
    struct pf_accepted key = {.id = id};
    return b->n ? bsearch(&key, b->at, b->n, sizeof key, by_id) : NULL;
}

bool pf_baseline_has(const struct pf_baseline *b, uint64_t id) { return find(b, id) != NULL; }

static const char *copy_text(struct pf_baseline *b, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? pf_pool_text(&b->pool, s, strlen(s)) : NULL;
}

static pf_status read_entries(struct pf_baseline *b, const char *path, const json_t *list,
                              struct pf_error *e)
{
    size_t n = json_array_size(list);
    b->at = pf_pool_get(&b->pool, n * sizeof *b->at + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *o = json_array_get(list, i);
        const char *id = json_string_value(json_object_get(o, "id"));
        char *end = NULL;
        uint64_t v = id && strlen(id) == 16 ? strtoull(id, &end, 16) : 0;
        if (!end || *end)
            return pf_fail(e, PF_BAD, "%s: expected a fingerprint of 16 digits in accepted[%zu].id",
                           path, i);
        b->at[b->n++] = (struct pf_accepted){v, copy_text(b, o, "title"), copy_text(b, o, "note"),
                                             copy_text(b, o, "class")};
    }
    qsort(b->at, b->n, sizeof *b->at, by_id);
    return PF_OK;
}

pf_status pf_baseline_read(struct pf_baseline *b, const char *path, struct pf_error *e)
{
    json_t *o;
    pf_status s = pf_json_file_read(path, &o, e);
    if (s != PF_OK)
        return s;
    const json_t *list = json_object_get(o, "accepted");
    if (strcmp(pf_json_get_text(o, "tool"), "photofinish") || !json_is_array(list))
        s = pf_fail(e, PF_BAD, "%s: not a photofinish baseline", path);
    else if (json_integer_value(json_object_get(o, "version")) != 1)
        s = pf_fail(e, PF_BAD, "%s: expected 1 in version", path);
    else
        s = read_entries(b, path, list, e);
    json_decref(o);
    return s;
}

static const char *title_of(struct pf_baseline *b, const struct pf_finding *f)
{
    struct pf_text t;
    pf_text_init(&t, &b->pool);
    pf_finding_title(&t, f);
    return pf_pool_text(&b->pool, t.at, t.n);
}

void pf_baseline_accept(struct pf_baseline *b, const struct pf_findings *f, bool keep)
{
    size_t n = 0, room = f->n + b->n;
    struct pf_accepted *at = pf_pool_get(&b->pool, room * sizeof *at + 1);
    for (size_t i = 0; i < f->n; i++) {
        const struct pf_accepted *old = find(b, f->at[i]->id);
        at[n++] = (struct pf_accepted){f->at[i]->id, title_of(b, f->at[i]), old ? old->note : NULL,
                                       f->at[i]->verdict};
    }
    for (size_t i = 0; keep && i < b->n; i++) {
        bool there = false;
        for (size_t k = 0; k < f->n && !there; k++)
            there = f->at[k]->id == b->at[i].id;
        if (!there)
            at[n++] = b->at[i];
    }
    qsort(at, n, sizeof *at, by_id);
    b->at = at;
    b->n = n;
}

pf_status pf_baseline_write(const struct pf_baseline *b, const char *path, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_char(&t, '{');
    pf_json_num(&t, "version", 1);
    pf_json_str(&t, "tool", "photofinish");
    pf_json_key(&t, "accepted");
    pf_text_char(&t, '[');
    /* one line each, because the file is kept under version control */
    for (size_t i = 0; i < b->n; i++) {
        pf_text_add(&t, i ? ",\n{" : "\n{");
        pf_json_key(&t, "id");
        pf_text_char(&t, '"');
        pf_text_hex(&t, b->at[i].id, 16);
        pf_text_char(&t, '"');
        pf_json_str(&t, "title", b->at[i].title);
        if (b->at[i].class)
            pf_json_str(&t, "class", b->at[i].class);
        if (b->at[i].note)
            pf_json_str(&t, "note", b->at[i].note);
        pf_text_char(&t, '}');
    }
    pf_text_add(&t, "\n]}\n");
    pf_status s = pf_file_write(path, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

int pf_fail_on_from(const char *word)
{
    static const char *const words[PF_FAIL_CLASS] = {"new", "any", "confirmed"};
    for (int i = 0; i < PF_FAIL_CLASS; i++)
        if (!strcmp(words[i], word))
            return i;
    int class = pf_judge_class_from(word);
    return class < 0 ? -1 : PF_FAIL_CLASS + class;
}

bool pf_finding_fails(const struct pf_finding *f, bool accepted, enum pf_fail_on on)
{
    int what = (int)on;
    if (f->suspicious)
        return false;
    if (what == PF_FAIL_ANY || accepted)
        return what == PF_FAIL_ANY;
    if (what >= PF_FAIL_CLASS)
        return (int)pf_finding_class(f) <= what - PF_FAIL_CLASS;
    return what == PF_FAIL_NEW || f->status == PF_STATUS_CONFIRMED;
}

size_t pf_baseline_failing(const struct pf_baseline *b, const struct pf_findings *f,
                           enum pf_fail_on what)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        bool accepted = b && pf_baseline_has(b, f->at[i]->id);
        n += pf_finding_fails(f->at[i], accepted, what);
    }
    return n;
}
