/* candidate_file.c - see candidate_file.h. */
#define _GNU_SOURCE
#include "candidate_file.h"
#include "file.h"
#include "finding_json.h"
#include "finding_read.h"
#include "json_field.h"
#include "pecan/schedule_finder.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 200 /* events around the accesses that the solver may reorder */

bool pf_candidate_file_detect(const char *path)
{
    FILE *f = fopen(path, "re");
    int c = f ? fgetc(f) : EOF;
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        c = fgetc(f);
    if (f)
        fclose(f);
    return c == '{';
}

/* --- writing --- */

static void add_list(struct pf_text *t, const char *key, const uint32_t *at, uint32_t n)
{
    pf_json_key(t, key);
    pf_text_char(t, '[');
    for (uint32_t i = 0; i < n; i++) {
        pf_text_add(t, i ? "," : "");
        pf_text_u64(t, at[i]);
    }
    pf_text_char(t, ']');
}

/* Writes the order as runs of consecutive events: [first, last]. */
static void add_runs(struct pf_text *t, const uint32_t *at, uint32_t n)
{
    pf_json_key(t, "order");
    pf_text_char(t, '[');
    for (uint32_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && at[k] == at[k - 1] + 1; k++)
            ;
        pf_text_add(t, i ? ",[" : "[");
        pf_text_u64(t, at[i]);
        pf_text_char(t, ',');
        pf_text_u64(t, at[k - 1]);
        pf_text_char(t, ']');
    }
    pf_text_char(t, ']');
}

/* Evidence that needs a comparison with the serial orders. */
static const char *const evidence_words[] = {
    [PF_EVIDENCE_WEAK] = "weak", [PF_EVIDENCE_INFERRED] = "inferred"};

static void add_regions(struct pf_text *t, const struct pf_try_schedule *w)
{
    pf_json_str(t, "evidence", evidence_words[w->evidence]);
    pf_json_key(t, "regions");
    pf_text_char(t, '[');
    for (unsigned i = 0; i < 2; i++) {
        pf_text_add(t, i ? ",{" : "{");
        pf_json_num(t, "begin", w->region[i].begin);
        pf_json_num(t, "end", w->region[i].end);
        pf_json_bool(t, "pair", w->region[i].pair);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

static void add_schedule(struct pf_text *t, const struct pf_predict_job *j,
                         const struct pf_candidate *c, const struct pf_try_schedule *w)
{
    char id[20];
    pf_text_char(t, '{');
    snprintf(id, sizeof id, "%016" PRIx64, c->f.id);
    pf_json_str(t, "id", id);
    pf_json_str(t, "pattern", c->pattern == PF_NONE ? NULL : j->patterns.at[c->pattern].name);
    add_list(t, "events", w->event, w->n);
    pf_json_bool(t, "adjacent", w->adjacent);
    pf_json_bool(t, "stuck", w->stuck);
    if (w->evidence == PF_EVIDENCE_WEAK || w->evidence == PF_EVIDENCE_INFERRED)
        add_regions(t, w);
    if (w->norder) {
        pf_json_num(t, "start", w->start);
        add_runs(t, w->order, w->norder);
    }
    pf_text_char(t, '}');
}

void pf_candidate_file_json(struct pf_text *t, struct pf_predict_job *j)
{
    struct pf_candidates all = {0};
    char *whole = j->t.recorded.present ? realpath(j->path, NULL) : NULL;
    if (!whole)
        return; /* a trace from text: there is no program to run */
    pf_candidates_add_predicted(&all, j, true);
    pf_json_str(t, "recording", whole);
    pf_json_str(t, "atomic", j->atomic);
    pf_json_key(t, "schedules");
    pf_text_char(t, '[');
    bool first = true;
    for (size_t i = 0; i < all.at.len; i++)
        for (size_t k = 0; k < all.at.at[i].schedules.len; k++) {
            pf_text_add(t, first ? "\n" : ",\n");
            add_schedule(t, j, &all.at.at[i], &all.at.at[i].schedules.at[k]);
            first = false;
        }
    pf_text_char(t, ']');
    pf_candidates_release(&all);
    free(whole);
}

/* --- reading --- */

static void read_findings(struct pf_reader *r, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++)
        pf_read_finding(r, json_array_get(list, i));
}

pf_status pf_candidate_file_open(struct pf_candidate_file *f, const char *path, struct pf_error *e)
{
    struct pf_reader r = {.f = &f->findings, .path = path, .stage = "predict", .error = e};
    pf_findings_init(&f->findings);
    f->path = path;
    json_t *o;
    pf_status s = pf_json_file_read(path, &o, e);
    f->document = o;
    if (s != PF_OK)
        return s;
    if (strcmp(pf_json_get_text(o, "tool"), "photofinish"))
        return pf_fail(e, PF_BAD, "%s: not a photofinish findings file", path);
    if (pf_read_number(&r, o, "version") != 1)
        pf_read_fail(&r, "1", "version");
    f->recording = pf_read_text(&r, o, "recording");
    f->atomic = pf_read_text(&r, o, "atomic");
    if (r.status == PF_OK && (!f->recording || !json_is_array(json_object_get(o, "schedules"))))
        return pf_fail(e, PF_BAD,
                       "%s: has no recording with schedules; pf predict --json writes them if its "
                       "input is a recording",
                       path);
    f->events = pf_read_number(&r, json_object_get(o, "explored"), "events");
    read_findings(&r, pf_read_array(&r, o, "findings"));
    read_findings(&r, json_object_get(o, "candidates"));
    return r.status;
}

/* Reads an event number; PF_NONE and an error if it is not one. */
static uint32_t event_of(struct pf_reader *r, const struct pf_trace *t, const json_t *v,
                         const char *what)
{
    if (json_is_integer(v) && json_integer_value(v) >= 0 &&
        (uint64_t)json_integer_value(v) < t->events.len)
        return (uint32_t)json_integer_value(v);
    pf_read_fail(r, "an event number", what);
    return PF_NONE;
}

static void read_events(struct pf_reader *r, const struct pf_trace *t, const json_t *o,
                        struct pf_try_schedule *w)
{
    const json_t *v = pf_read_array(r, o, "events");
    size_t n = json_array_size(v);
    w->stuck = json_is_true(json_object_get(o, "stuck"));
    w->adjacent = json_is_true(json_object_get(o, "adjacent"));
    if (n < 2 || n > PF_PATTERN_MAX) {
        char expected[32];
        snprintf(expected, sizeof expected, "2 to %d events", PF_PATTERN_MAX);
        pf_read_fail(r, expected, "events");
    }
    for (size_t i = 0; i < n && !r->status; i++) {
        w->event[i] = event_of(r, t, json_array_get(v, i), "events");
        if (!r->status) {
            const struct pf_event *e = &t->events.at[w->event[i]];
            if (w->stuck ? !pf_event_acquires(e) : !pf_event_is_access(e))
                pf_read_fail(r, w->stuck ? "lock operations" : "accesses", "events");
        }
    }
    w->n = (uint32_t)n;
}

/* Reads the regions, if they are inferred. */
static void read_regions(struct pf_reader *r, const struct pf_trace *t, const json_t *o,
                         struct pf_try_schedule *w)
{
    const char *evidence = pf_read_text(r, o, "evidence");
    if (!evidence || r->status)
        return;
    const json_t *v = pf_read_array(r, o, "regions");
    for (unsigned k = PF_EVIDENCE_WEAK; k <= PF_EVIDENCE_INFERRED; k++)
        if (!strcmp(evidence, evidence_words[k]))
            w->evidence = (enum pf_region_evidence)k;
    if (!w->evidence || json_array_size(v) != 2)
        pf_read_fail(r, "a known word, and two regions,", "evidence");
    for (unsigned i = 0; i < 2 && !r->status; i++) {
        const json_t *x = json_array_get(v, i);
        w->region[i] =
            (struct pf_match_region){event_of(r, t, json_object_get(x, "begin"), "regions"),
                                     event_of(r, t, json_object_get(x, "end"), "regions"),
                                     json_is_true(json_object_get(x, "pair"))};
        if (!r->status &&
            (w->region[i].begin > w->region[i].end ||
             t->events.at[w->region[i].begin].thread != t->events.at[w->region[i].end].thread))
            pf_read_fail(r, "the first and the last event of one thread", "regions");
    }
}

/* Reads the order. An event that occurs twice, or comes before `start`, is an error: no run can
 * follow such a schedule. */
static uint32_t *read_order(struct pf_reader *r, const struct pf_trace *t, const json_t *o,
                            struct pf_try_schedule *w)
{
    const json_t *v = json_object_get(o, "order");
    uint32_t *order = pf_mem_resize(NULL, t->events.len + 1, sizeof *order);
    w->order = order;
    if (!v)
        return order;
    bool *taken = pf_mem_zero(t->events.len, sizeof *taken);
    w->start = event_of(r, t, json_object_get(o, "start"), "start");
    for (size_t i = 0; i < json_array_size(v) && !r->status; i++) {
        const json_t *run = json_array_get(v, i);
        uint32_t first = event_of(r, t, json_array_get(run, 0), "order");
        uint32_t last = event_of(r, t, json_array_get(run, 1), "order");
        if (r->status)
            break;
        if (last < first)
            pf_read_fail(r, "runs [first, last], every event once", "order");
        for (uint32_t k = first; k <= last && !r->status; k++) {
            if (taken[k] || k < w->start)
                pf_read_fail(r, "runs [first, last], every event once", "order");
            taken[k] = true;
            order[w->norder++] = k;
        }
    }
    free(taken);
    if (!w->norder && !w->stuck)
        pf_read_fail(r, "runs [first, last], every event once", "order");
    return order;
}

/* Index of the job's pattern with this name; PF_NONE: none. */
static uint32_t pattern_of(const struct pf_predict_job *j, const char *name)
{
    for (uint32_t i = 0; name && i < j->patterns.len; i++)
        if (!strcmp(j->patterns.at[i].name, name))
            return i;
    return PF_NONE;
}

/* For an entry without an order: searches for a schedule in which its accesses meet. */
static void find_schedule(struct pf_schedule_finder *a, const struct pf_predict_job *j,
                          struct pf_try_schedule *w)
{
    bool found = false;
    for (uint32_t i = 0; i < j->patterns.len && !found; i++) {
        const struct pf_pattern *p = &j->patterns.at[i];
        bool fits = p->kind == PF_PATTERN_RACE && p->n == w->n;
        for (uint32_t k = 0; k < w->n && fits; k++)
            fits = p->write[k] == pf_event_writes(&j->t.events.at[w->event[k]]);
        found = fits && pf_schedule_finder_generate(a, p, w->event);
    }
    if (found ||
        pf_schedule_finder_solve(a, w->event, w->n, w->adjacent ? 2 : 1, MARGIN) == PF_YES) {
        w->start = a->start;
        w->order = a->order.at;
        w->norder = (uint32_t)a->order.len;
    }
}

static void load_one(struct pf_candidate_file *f, struct pf_reader *r, struct pf_candidates *c,
                     struct pf_predict_job *j, struct pf_schedule_finder *a, const json_t *o)
{
    struct pf_try_schedule w = {0};
    struct pf_finding *it = pf_findings_find(&f->findings, pf_read_prefixed(r, o, "id", "", 16));
    if (!it)
        pf_read_fail(r, "the id of a finding of this file", "id");
    read_events(r, &j->t, o, &w);
    read_regions(r, &j->t, o, &w);
    uint32_t *order = read_order(r, &j->t, o, &w);
    if (!r->status && !w.norder && !w.stuck)
        find_schedule(a, j, &w);
    if (!r->status)
        pf_candidates_add(c, it, &w, pattern_of(j, pf_read_text(r, o, "pattern")));
    free(order);
}

pf_status pf_candidate_file_load(struct pf_candidate_file *f, struct pf_candidates *c,
                                 struct pf_predict_job *j, struct pf_error *e)
{
    struct pf_reader r = {.f = &f->findings, .path = f->path, .error = e};
    const json_t *list = json_object_get(f->document, "schedules");
    struct pf_schedule_finder a;
    if (f->events != j->t.events.len)
        return pf_fail(e, PF_BAD, "%s: made from another recording: %s has %zu events, not %llu",
                       f->path, f->recording, j->t.events.len, (unsigned long long)f->events);
    pf_schedule_finder_init(&a, &j->t);
    for (size_t i = 0; i < json_array_size(list) && !r.status; i++)
        load_one(f, &r, c, j, &a, json_array_get(list, i));
    pf_schedule_finder_release(&a);
    return r.status;
}

void pf_candidate_file_release(struct pf_candidate_file *f)
{
    json_decref(f->document);
    if (f->path)
        pf_findings_release(&f->findings);
}
