/*
 * reschedule.h - generates a schedule that makes a pattern happen (PECAN, section 6).
 *
 * Model:   the trace is executed again in its own order, but threads are held back. A thread whose
 *          next event belongs to the pattern waits, before the outermost lock around that event,
 *          until the earlier events of the pattern have happened. Threads that depend on a held
 *          thread wait with it. Events that are still waiting when the pattern is complete are left
 *          out. For two events this is Algorithm 3 of the paper, for three Algorithm 4. If it fails
 *          (locks are not nested, threads need each other), other strategies are tried: hold
 *          threads at the event itself, bring all threads to their positions first, run only the
 *          threads that the pattern needs. Partial order, locks and notifications are respected.
 *          Values are ignored: a schedule can be infeasible because a thread would take another
 *          branch. validate.h detects some of these cases, re-execution all of them.
 * Memory:  one rescheduler serves many patterns; release frees it.
 * Cost:    linear in the distance in the trace, and bounded: a call that executes too many events
 *          gives up, earlier if many events were executed before. `cut` counts such calls.
 */
#ifndef PF_PECAN_RESCHEDULE_H
#define PF_PECAN_RESCHEDULE_H

#include "engine/trace_index.h"
#include "partial_order.h"
#include "pattern.h"
#include "stop.h"

struct pf_rescheduler {
    const struct pf_partial_order *g;
    const struct pf_trace_index *x;
    uint32_t *next;    /* per thread: index in by_thread */
    uint32_t *owner;   /* per lock: 1 + the thread that holds it exclusively, 0: none */
    uint32_t *readers; /* per lock: number of shared holders */
    /* the current pattern */
    const uint32_t *events;
    unsigned n;
    uint32_t hold[PF_PATTERN_MAX]; /* where the thread of each event waits for its turn */
    /* the event has happened; its thread need no longer wait */
    bool done[PF_PATTERN_MAX], released[PF_PATTERN_MAX];
    bool minimal; /* run only threads that are needed */
    /* events executed by the current call and by all calls, including failed attempts */
    uint64_t moved, spent;
    uint64_t cut; /* calls that gave up because of these limits */
    struct pf_stop *stop; /* may be NULL */
    uint32_t start;
    pf_vec_u32 order;
};

void pf_rescheduler_init(struct pf_rescheduler *s, const struct pf_partial_order *g,
                         const struct pf_trace_index *x);
void pf_rescheduler_release(struct pf_rescheduler *s);
/* If true: run the trace up to s->start, then s->order, which ends with the last event of the
 * pattern. */
bool pf_rescheduler_run(struct pf_rescheduler *s, const struct pf_pattern *p,
                        const uint32_t *events);
/* For n acquires, one per thread: finds a schedule after which each of them is the next event of
 * its thread, and none can happen. */
bool pf_rescheduler_run_deadlock(struct pf_rescheduler *s, const uint32_t *takes, uint32_t n);

#endif
