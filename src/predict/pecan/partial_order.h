/*
 * partial_order.h - the order of events that no schedule can change, for the searches of PECAN and
 * of deadlocks. It stores the paper's partial and temporal order graph (PTG) compactly.
 *
 * Model:   partial order is program order, fork/join, notify/wake, barriers and messages, but not
 *          locks. Only events of thread communication can change a clock, so one clock is stored
 *          per such event, not per event. Temporal order is the order of the trace.
 * Memory:  five words per event, plus one word per thread for each communication event.
 */
#ifndef PF_PECAN_PARTIAL_ORDER_H
#define PF_PECAN_PARTIAL_ORDER_H

#include "locksets.h"

struct pf_partial_order {
    const struct pf_trace *t;
    struct pf_locksets locks;
    uint32_t nt;
    uint32_t *held;       /* per event: locks held when it happens; of an acquire: before it */
    uint32_t *epoch;      /* per event: epoch of its thread */
    uint32_t *row;        /* per event: its clock, index into `rows` */
    pf_vec_u32 rows;      /* nt words each */
    uint32_t *thread_at;  /* nt + 1: range of each thread in by_thread */
    uint32_t *by_thread;  /* events of each thread, in order */
    uint32_t *pos;        /* per event: its index in by_thread */
};

void pf_partial_order_init(struct pf_partial_order *g, const struct pf_trace *t);
void pf_partial_order_release(struct pf_partial_order *g);

/* True if a comes before b in every reordering. */
static inline bool pf_partial_order_before(const struct pf_partial_order *g, uint32_t a, uint32_t b)
{
    const struct pf_event *e = g->t->events.at;
    if (e[a].thread == e[b].thread)
        return a < b;
    return g->epoch[a] <= g->rows.at[(size_t)g->row[b] * g->nt + e[a].thread];
}

/* Index in by_thread of the first event of thread u at or after event i. */
uint32_t pf_partial_order_from(const struct pf_partial_order *g, uint32_t u, uint32_t i);

#endif
