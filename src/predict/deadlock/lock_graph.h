/*
 * lock_graph.h - deadlocks that another schedule may reach: cycles of threads that each hold what the
 * next one wants.
 *
 * Model:   an edge is a thread that takes a lock while it holds another. Edges of different threads make
 *          a cycle when each wants what the next one holds, no other lock keeps two of them apart (a
 *          gate lock), and no partial order does (start and join, notify and wake, barriers, messages).
 *          For each cycle of source locations a schedule is generated that brings every thread to its
 *          take. Values are not looked at: a cycle is a candidate until a run has reached it.
 * Memory:  the result owns the orders.
 * Cost:    linear in the trace, then by the number of different edges: short cycles first, up to PF_CYCLE_MAX
 *          threads, until a bounded number of steps is made; then it is said that it was cut.
 */
#ifndef PF_LOCK_GRAPH_H
#define PF_LOCK_GRAPH_H

#include "pecan/partial_order.h"
#include "stop.h"

#define PF_CYCLE_MAX 16

struct pf_cycle {
    uint32_t n;
    uint32_t take[PF_CYCLE_MAX]; /* the events at which the threads are stuck */
    uint32_t held[PF_CYCLE_MAX]; /* the lock each of them holds, wanted by the one before */
    uint32_t start, norder;      /* as in pf_anomaly */
    uint32_t *order;
};

struct pf_cycles {
    PF_VEC(struct pf_cycle) at;
    uint64_t cycles;  /* cycles of source locations looked at */
    uint64_t dropped; /* edges not looked at: there were too many */
    bool cut;         /* not all cycles were looked at, nor all ways to reach them */
};

/* `stop`: NULL, nobody ends it; who does leaves it cut. */
void pf_lock_graph_find(const struct pf_trace *t, struct pf_stop *stop, struct pf_cycles *out);
void pf_cycles_release(struct pf_cycles *c);

#endif
