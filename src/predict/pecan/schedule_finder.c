/*
 * schedule_finder.c - see schedule_finder.h. Both sources share one index of the trace.
 */
#include "schedule_finder.h"
#include <string.h>

void pf_schedule_finder_init(struct pf_schedule_finder *a, const struct pf_trace *t)
{
    memset(a, 0, sizeof *a);
    a->t = t;
    a->window = pf_limits_default.window;
    a->conflicts = pf_limits_default.conflicts;
    pf_partial_order_init(&a->g, t);
    pf_trace_index_init(&a->x, t, t->has_calls ? PF_MISSING_RDIT : PF_MISSING_IGNORE);
    pf_rescheduler_init(&a->s, &a->g, &a->x);
    pf_window_init(&a->w, &a->x);
}

void pf_schedule_finder_release(struct pf_schedule_finder *a)
{
    pf_vec_release(&a->order);
    pf_query_release(&a->q);
    pf_window_release(&a->w);
    pf_rescheduler_release(&a->s);
    pf_trace_index_release(&a->x);
    pf_partial_order_release(&a->g);
    memset(a, 0, sizeof *a);
}

bool pf_schedule_finder_generate(struct pf_schedule_finder *a, const struct pf_pattern *p,
                                 const uint32_t *events)
{
    if (!pf_rescheduler_run(&a->s, p, events))
        return false;
    a->start = a->s.start;
    pf_vec_clear(&a->order);
    for (size_t k = 0; k < a->s.order.len; k++)
        pf_vec_push(&a->order, a->s.order.at[k]);
    return true;
}

enum pf_answer pf_schedule_finder_solve(struct pf_schedule_finder *a, const uint32_t *events,
                                        uint32_t n, uint32_t due, uint32_t margin)
{
    uint32_t lo = events[0], hi = lo;
    for (unsigned i = 1; i < n; i++) {
        lo = events[i] < lo ? events[i] : lo;
        hi = events[i] > hi ? events[i] : hi;
    }
    lo = lo > margin ? lo - margin : 0;
    hi = margin < a->x.n - hi ? hi + margin : a->x.n;
    if (hi - lo > a->window)
        return PF_UNKNOWN;
    enum pf_answer answer =
        pf_engine_decide_chain(&a->w, &a->q, lo, hi, events, n, due, a->conflicts);
    if (answer != PF_YES)
        return answer == PF_NO && hi - lo == a->x.n ? PF_NO : PF_UNKNOWN;
    a->start = lo;
    pf_vec_clear(&a->order);
    for (size_t k = 0; k < a->q.order.len; k++)
        pf_vec_push(&a->order, a->q.order.at[k] + lo);
    for (uint32_t k = n - due; k < n; k++)
        pf_vec_push(&a->order, events[k]);
    return PF_YES;
}
