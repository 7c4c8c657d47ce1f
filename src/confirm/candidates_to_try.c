#include "candidates_to_try.h"
#include "pecan/another.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_candidates_release(struct pf_candidates *c)
{
    for (size_t i = 0; i < c->at.len; i++) {
        for (size_t k = 0; k < c->at.at[i].ways.len; k++)
            free((uint32_t *)c->at.at[i].ways.at[k].order);
        pf_vec_release(&c->at.at[i].ways);
        free(c->at.at[i].clip);
    }
    pf_vec_release(&c->at);
}

/* --- schedules --- */

/* Where two schedules begin with the trace itself, it does not matter how much of it they call so. */
static void strip(const struct pf_hatch *w, uint32_t *start, uint32_t *from)
{
    *start = w->start;
    for (*from = 0; *from < w->norder && w->order[*from] == *start; ++*from)
        ++*start;
}

static bool same_way(const struct pf_hatch *a, const struct pf_hatch *b)
{
    uint32_t start[2], from[2];
    strip(a, &start[0], &from[0]);
    strip(b, &start[1], &from[1]);
    return a->n == b->n && !memcmp(a->event, b->event, a->n * sizeof *a->event) &&
           start[0] == start[1] && a->norder - from[0] == b->norder - from[1] &&
           !memcmp(a->order + from[0], b->order + from[1],
                   (a->norder - from[0]) * sizeof *a->order);
}

/* False: it was there. */
static bool add_way(struct pf_candidate *c, const struct pf_hatch *way)
{
    for (size_t i = 0; i < c->ways.len; i++)
        if (same_way(&c->ways.at[i], way))
            return false;
    struct pf_hatch copy = *way;
    uint32_t *order = pf_mem_resize(NULL, way->norder + 1, sizeof *order);
    memcpy(order, way->order, way->norder * sizeof *order);
    copy.order = order;
    pf_vec_push(&c->ways, copy);
    return true;
}

/* --- candidates --- */

static bool is_known(const struct pf_candidates *c, uint64_t id)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64 "\n", id);
    return c->known && strstr(c->known, text);
}

void pf_candidates_add(struct pf_candidates *c, const struct pf_finding *f,
                       const struct pf_hatch *way, uint32_t pattern)
{
    struct pf_candidate *it = NULL;
    for (size_t i = 0; i < c->at.len && !it; i++)
        if (c->at.at[i].f.id == f->id)
            it = &c->at.at[i];
    if (!it && is_known(c, f->id))
        return;
    if (!it) {
        pf_vec_push(&c->at, (struct pf_candidate){.f = *f, .pattern = PF_NONE});
        it = &c->at.at[c->at.len - 1];
    }
    if (it->pattern == PF_NONE)
        it->pattern = pattern;
    add_way(it, way);
}

/* What is no witness has no order. */
static void add_race(struct pf_candidates *c, struct pf_predict_job *j, size_t k,
                     const struct pf_race *r)
{
    struct pf_finding f;
    struct pf_hatch way;
    uint32_t *order = pf_hatch_witness(&way, r, false);
    if (j->analyses[k]->claim != PF_CLAIM_WITNESSED)
        way.start = way.norder = 0;
    pf_predict_race(j, k, r, &f);
    pf_candidates_add(c, &f, &way, PF_NONE);
    free(order);
}

static struct pf_hatch way_of(const struct pf_predict_job *j, const struct pf_anomaly *a)
{
    const struct pf_pattern *p = &j->patterns.at[a->pattern];
    struct pf_hatch way = {.n = p->n,
                           .start = a->start,
                           .order = a->order,
                           .norder = a->norder,
                           .adjacent = p->next[p->n - 1]};
    memcpy(way.event, a->event, p->n * sizeof *a->event);
    return way;
}

void pf_candidates_predicted(struct pf_candidates *c, struct pf_predict_job *j)
{
    struct pf_finding f;
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; i < j->results[k].races.len; i++)
            add_race(c, j, k, &j->results[k].races.at[i]);
    for (size_t i = 0; i < j->anomalies.at.len; i++) {
        const struct pf_anomaly *a = &j->anomalies.at.at[i];
        struct pf_hatch way = way_of(j, a);
        pf_predict_anomaly(j, a, &f);
        pf_candidates_add(c, &f, &way, a->pattern);
    }
    for (size_t i = 0; i < j->cycles.at.len; i++) {
        const struct pf_cycle *y = &j->cycles.at.at[i];
        struct pf_hatch way = {
            .n = y->n, .start = y->start, .order = y->order, .norder = y->norder, .stuck = true};
        memcpy(way.event, y->take, y->n * sizeof *y->take);
        pf_predict_cycle(j, y, &f);
        pf_candidates_add(c, &f, &way, PF_NONE);
    }
}

/* --- another schedule --- */

static bool is_open(const struct pf_candidate *c)
{
    return c->result.verdict == PF_HATCHED_FALSE && c->ways.len < PF_WAYS;
}

static bool has_next(const struct pf_candidate *c)
{
    return c->result.verdict == PF_HATCHED_FALSE && c->way + 1 < c->ways.len;
}

/* The engine, with more and more of the trace to move. */
static void ask(struct pf_another *w, struct pf_candidate *c)
{
    static const uint32_t margin[] = {20, 200, 1500};
    for (unsigned m = 0; m < sizeof margin / sizeof *margin && !has_next(c); m++) {
        struct pf_hatch way = c->ways.at[c->way];
        if (margin[m] <= c->margin)
            continue;
        c->margin = margin[m];
        if (!pf_another_ask(w, way.event, way.n, way.adjacent ? 2 : 1, margin[m]))
            continue;
        way.start = w->start;
        way.order = w->order.at;
        way.norder = (uint32_t)w->order.len;
        add_way(c, &way);
    }
}

/* Other events of the same code, for all that have nothing else left. */
static void search(struct pf_candidates *c, struct pf_predict_job *j, struct pf_stop *stop)
{
    PF_VEC(struct pf_anomaly) tried = {0};
    struct pf_anomalies others;
    for (size_t i = 0; i < c->at.len; i++) {
        struct pf_candidate *x = &c->at.at[i];
        if (!is_open(x) || has_next(x) || x->searched || x->pattern == PF_NONE)
            continue;
        for (size_t k = 0; k < x->ways.len; k++) {
            struct pf_anomaly a = {.pattern = x->pattern};
            memcpy(a.event, x->ways.at[k].event, x->ways.at[k].n * sizeof *a.event);
            pf_vec_push(&tried, a);
        }
        x->searched = true;
    }
    if (tried.len) {
        pf_pecan_others(&j->t, &j->patterns, tried.at, tried.len, stop, &others);
        for (size_t i = 0; i < others.at.len; i++) {
            struct pf_hatch way = way_of(j, &others.at.at[i]);
            struct pf_finding f;
            pf_predict_anomaly(j, &others.at.at[i], &f);
            for (size_t k = 0; k < c->at.len; k++)
                if (c->at.at[k].f.id == f.id && add_way(&c->at.at[k], &way)) {
                    c->at.at[k].searched = false; /* there may be more */
                    c->at.at[k].margin = 0;
                }
        }
        pf_anomalies_release(&others);
    }
    pf_vec_release(&tried);
}

size_t pf_candidates_next(struct pf_candidates *c, struct pf_predict_job *j, struct pf_stop *stop)
{
    struct pf_another w;
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < c->at.len; i++) {
        struct pf_candidate *x = &c->at.at[i];
        if (!is_open(x) || has_next(x) || x->ways.at[x->way].stuck)
            continue;
        if (pf_stop_now(stop, "other schedules", i, c->at.len))
            break;
        if (!any)
            pf_another_init(&w, &j->t);
        any = true;
        ask(&w, x);
    }
    if (any)
        pf_another_release(&w);
    search(c, j, stop);
    for (size_t i = 0; i < c->at.len; i++)
        if (has_next(&c->at.at[i])) {
            c->at.at[i].way++;
            n++;
        }
    return n;
}
