#include "pecan.h"
#include "engine/validate.h"
#include "reschedule.h"
#include <string.h>

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

/* Which schedules are feasible for sure? */
static void validate(const struct pf_trace *t, const pf_patterns *patterns,
                     struct pf_anomalies *out)
{
    struct pf_race *races = pf_mem_zero(out->at.len, sizeof *races);
    bool *ok = pf_mem_zero(out->at.len, sizeof *ok);
    for (size_t i = 0; i < out->at.len; i++) {
        const struct pf_anomaly *a = &out->at.at[i];
        const struct pf_pattern *p = &patterns->at[a->pattern];
        uint32_t last = p->next[p->n - 1] ? 2 : 1; /* events that need only be due */
        races[i] = (struct pf_race){.a = a->event[p->n - last],
                                    .b = a->event[p->n - 1],
                                    .start = a->start,
                                    .order = a->order,
                                    .norder = a->norder - last};
    }
    pf_validate(t, t->has_calls ? PF_RULE_RDIT : PF_RULE_NONE, races, out->at.len, ok, NULL);
    for (size_t i = 0; i < out->at.len; i++)
        out->at.at[i].witnessed = ok[i];
    free(races);
    free(ok);
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
    pf_index_release(&x);
    pf_work_release(&w);
    pf_ptg_release(&g);
    validate(t, patterns, out);
}

void pf_anomalies_release(struct pf_anomalies *a)
{
    for (size_t i = 0; i < a->at.len; i++)
        free(a->at.at[i].order);
    pf_vec_release(&a->at);
}
