/*
 * lock_graph.h - deadlocks that another schedule may reach: cycles of threads, each of which holds
 * a lock that another one wants.
 *
 * Model:   an edge is a thread that acquires a lock while it holds another one. Edges of different
 *          threads form a cycle if each wants the lock that the next one holds. No two of them may
 *          hold a common gate lock, and no two may be ordered by fork/join, notify/wake, barriers
 *          or messages. For each cycle of sites, a schedule is generated that brings every thread
 *          to its acquire. Values are ignored, so a cycle is a candidate until a run has reached
 *          it.
 * Memory:  the result owns the schedules.
 * Cost:    linear in the trace, then depends on the number of different edges. Short cycles are
 *          searched first, up to PF_CYCLE_MAX threads, until a step limit is reached; then `cut` is
 *          set.
 */
#ifndef PF_LOCK_GRAPH_H
#define PF_LOCK_GRAPH_H

#include "pecan/partial_order.h"
#include "stop.h"

#define PF_CYCLE_MAX 16

struct pf_cycle {
    uint32_t n;
    uint32_t take[PF_CYCLE_MAX]; /* the acquire at which each thread blocks */
    uint32_t held[PF_CYCLE_MAX]; /* the lock that each thread holds, which the previous one wants */
    uint32_t start, norder; /* as in pf_anomaly */
    uint32_t *order;
};

struct pf_cycles {
    PF_VEC(struct pf_cycle) at;
    uint64_t cycles; /* cycles of sites examined */
    uint64_t dropped; /* edges that were ignored because there were too many */
    /* not all cycles were examined; or no schedule was found for a cycle that the order of events
     * allows, although not all schedules were tried */
    bool cut;
};

/* stop: may be NULL. If it stops the search, `cut` is set. */
void pf_lock_graph_find(const struct pf_trace *t, struct pf_stop *stop, struct pf_cycles *out);
void pf_cycles_release(struct pf_cycles *c);

#endif
