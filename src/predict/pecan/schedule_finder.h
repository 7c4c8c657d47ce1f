/*
 * schedule_finder.h - finds schedules for the events of a pattern: generates one (reschedule.h), or
 * asks the engine of maximal causality, which preserves the values that matter.
 *
 * Model:   as in pecan.h: the trace up to `start`, then `order`, which ends with the last event.
 * Memory:  init allocates O(events), release frees it; `order` is valid until the next call.
 * Errors:  none.
 */
#ifndef PF_PECAN_SCHEDULE_FINDER_H
#define PF_PECAN_SCHEDULE_FINDER_H

#include "engine/engine.h"
#include "reschedule.h"

struct pf_schedule_finder {
    const struct pf_trace *t;
    struct pf_partial_order g;
    struct pf_trace_index x;
    struct pf_rescheduler s;
    struct pf_window w;
    struct pf_query q;
    uint32_t window, conflicts; /* limits of the engine, as in pf_limits */
    uint32_t start;
    pf_vec_u32 order;
};

/* Sets the limits of the engine to pf_limits_default. */
void pf_schedule_finder_init(struct pf_schedule_finder *a, const struct pf_trace *t);
void pf_schedule_finder_release(struct pf_schedule_finder *a);

/* Generates a schedule with Algorithms 3 and 4 of the paper; takes the first strategy that
 * succeeds. */
bool pf_schedule_finder_generate(struct pf_schedule_finder *a, const struct pf_pattern *p,
                                 const uint32_t *events);
/* Asks the engine. The last `due` (1 or 2) of the n events follow each other directly. `margin`:
 * the number of events before and after them that may be reordered. PF_NO: no reordering of the
 * whole trace; PF_UNKNOWN: none within the margin and the limits. */
enum pf_answer pf_schedule_finder_solve(struct pf_schedule_finder *a, const uint32_t *events,
                                        uint32_t n, uint32_t due, uint32_t margin);

#endif
