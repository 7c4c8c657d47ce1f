#include "pecan.h"
#include "engine/engine.h"
#include "engine/validate.h"
#include "reschedule.h"
#include <string.h>

#define MARGIN 200 /* events around a pattern that the engine may use */

struct maker {
    const pf_patterns *patterns;
    struct pf_scheduler s;
    struct pf_anomalies *out;
};

static bool make(void *arg, uint32_t pattern, const uint32_t *events)
{
    struct maker *m = arg;
    const struct pf_pattern *p = &m->patterns->at[pattern];
    if (!pf_schedule(&m->s, p, events))
        return false;
    struct pf_anomaly a = {
        .pattern = pattern, .start = m->s.start, .norder = (uint32_t)m->s.order.len};
    memcpy(a.event, events, p->n * sizeof *events);
    a.order = pf_mem_resize(NULL, a.norder, sizeof *a.order);
    memcpy(a.order, m->s.order.at, a.norder * sizeof *a.order);
    pf_vec_push(&m->out->at, a);
    return true;
}

/* The goal of a schedule, as the validator wants it. */
static struct pf_race goal_of(const struct pf_pattern *p, const struct pf_anomaly *a)
{
    uint32_t due = p->next[p->n - 1] ? 2 : 1; /* events that need only be due */
    return (struct pf_race){.a = a->event[p->n - due],
                            .b = a->event[p->n - 1],
                            .start = a->start,
                            .order = a->order,
                            .norder = a->norder - due};
}

/* Which schedules are feasible for sure? */
static void validate(const struct pf_trace *t, const pf_patterns *patterns,
                     struct pf_anomalies *out)
{
    struct pf_race *races = pf_mem_zero(out->at.len, sizeof *races);
    bool *ok = pf_mem_zero(out->at.len, sizeof *ok);
    for (size_t i = 0; i < out->at.len; i++)
        races[i] = goal_of(&patterns->at[out->at.at[i].pattern], &out->at.at[i]);
    pf_validate(t, t->has_calls ? PF_RULE_RDIT : PF_RULE_NONE, races, out->at.len, ok, NULL);
    for (size_t i = 0; i < out->at.len; i++)
        out->at.at[i].witnessed = ok[i];
    free(races);
    free(ok);
}

/* Asks the engine of maximal causality for a schedule that keeps the values. */
static bool ask(struct pf_window *w, struct pf_pair *q, const struct pf_pattern *p,
                struct pf_anomaly *a)
{
    uint32_t lo = a->event[0], hi = lo, n = w->x->n, due = p->next[p->n - 1] ? 2 : 1;
    for (unsigned i = 1; i < p->n; i++) {
        lo = a->event[i] < lo ? a->event[i] : lo;
        hi = a->event[i] > hi ? a->event[i] : hi;
    }
    lo = lo > MARGIN ? lo - MARGIN : 0;
    hi = hi + MARGIN < n ? hi + MARGIN : n;
    if (hi - lo > pf_limits_default.window ||
        pf_engine_ask_chain(w, q, lo, hi, a->event, p->n, due, pf_limits_default.conflicts) !=
            PF_YES)
        return false;
    free(a->order);
    a->start = lo;
    a->norder = (uint32_t)q->order.len + due;
    a->order = pf_mem_resize(NULL, a->norder, sizeof *a->order);
    for (size_t k = 0; k < q->order.len; k++)
        a->order[k] = q->order.at[k] + lo;
    memcpy(a->order + q->order.len, a->event + p->n - due, due * sizeof *a->order);
    return true;
}

/* Schedules that change a value on the way are exchanged for others, where there are any. */
static void improve(const struct pf_trace *t, const pf_patterns *patterns, const struct pf_index *x,
                    struct pf_anomalies *out)
{
    struct pf_window w;
    struct pf_pair q = {0};
    bool any = false;
    pf_window_init(&w, x);
    for (size_t i = 0; i < out->at.len; i++)
        if (!out->at.at[i].witnessed)
            any |= ask(&w, &q, &patterns->at[out->at.at[i].pattern], &out->at.at[i]);
    pf_pair_release(&q);
    pf_window_release(&w);
    if (any)
        validate(t, patterns, out);
}

void pf_pecan(const struct pf_trace *t, const pf_patterns *patterns, struct pf_anomalies *out)
{
    memset(out, 0, sizeof *out);
    struct pf_ptg g;
    struct pf_work w;
    struct pf_index x;
    struct maker m = {.patterns = patterns, .out = out};
    pf_ptg_init(&g, t);
    pf_work_init(&w, &g);
    pf_index_init(&x, t, t->has_calls ? PF_MISSING_RDIT : PF_MISSING_IGNORE);
    pf_scheduler_init(&m.s, &g, &x);
    pf_search(&w, patterns, make, &m, &out->search);
    pf_scheduler_release(&m.s);
    pf_work_release(&w);
    pf_ptg_release(&g);
    validate(t, patterns, out);
    improve(t, patterns, &x, out);
    pf_index_release(&x);
}

void pf_anomalies_release(struct pf_anomalies *a)
{
    for (size_t i = 0; i < a->at.len; i++)
        free(a->at.at[i].order);
    pf_vec_release(&a->at);
}
