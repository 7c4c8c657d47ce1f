/*
 * reschedule.h - a schedule that makes the pattern happen (PECAN, section 6).
 *
 * Model:   the trace is run again in its own order, but threads are held back: a thread that is due for
 *          an event of the pattern waits, before the outermost lock around that event, until the
 *          events before it in the pattern have happened; who depends on a held thread waits with
 *          it. What is still waiting when the pattern is complete is cut off. For two events this is
 *          the paper's Algorithm 3, for three its Algorithm 4. Where that leads nowhere (locks that
 *          are not nested, threads that need each other) other ways are tried: holding threads at
 *          the event itself, bringing all to their places first, running only whom the pattern
 *          needs.
 *          Partial order, locks and notifications are respected; values are not looked at: a
 *          schedule can be infeasible because a thread would go another way (validate.h says so for
 *          some, re-execution for all).
 * Memory:  one scheduler serves many patterns; release gives it back.
 * Cost:    O(distance in the trace), linear, and bounded: what would move more events than that is given up, less when many
 *          such were asked for. `cut` counts these.
 */
#ifndef PF_PECAN_RESCHEDULE_H
#define PF_PECAN_RESCHEDULE_H

#include "engine/trace_index.h"
#include "pattern.h"
#include "partial_order.h"
#include "stop.h"

struct pf_rescheduler {
    const struct pf_partial_order *g;
    const struct pf_trace_index *x;
    uint32_t *next;    /* per thread: place in by_thread */
    uint32_t *owner;   /* per lock: 1 + thread that has it alone, 0: nobody */
    uint32_t *readers; /* per lock */
    /* the pattern at hand */
    const uint32_t *events;
    unsigned n;
    uint32_t hold[PF_PATTERN_MAX]; /* where the thread of each event waits for its turn */
    bool done[PF_PATTERN_MAX], free[PF_PATTERN_MAX]; /* has happened; waits no longer */
    bool lean;
    uint64_t moved,
        spent; /* events by the call at hand and by all of them, also by ways that led nowhere */
    uint64_t cut; /* calls that found nothing within these limits */
    struct pf_stop *stop; /* NULL: nobody ends it */
    uint32_t start;
    pf_vec_u32 order;
};

void pf_rescheduler_init(struct pf_rescheduler *s, const struct pf_partial_order *g, const struct pf_trace_index *x);
void pf_rescheduler_release(struct pf_rescheduler *s);
/* True: run the trace up to s->start, then s->order, which ends with the last event of the pattern. */
bool pf_rescheduler_run(struct pf_rescheduler *s, const struct pf_pattern *p, const uint32_t *events);
/* For takes of locks, one of each of n threads: a schedule after which all are due and none can happen. */
bool pf_rescheduler_run_deadlock(struct pf_rescheduler *s, const uint32_t *takes, uint32_t n);

#endif
