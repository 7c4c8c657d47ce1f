/*
 * another.h - schedules for the events of a pattern: generated (reschedule.h), or by the engine of maximal causality,
 * which keeps the values that matter.
 *
 * Model:   as in pecan.h: the trace up to `start`, then `order`, which ends with the last event.
 * Memory:  init takes O(events) and release gives it back; `order` is good until the next question.
 * Errors:  none; false: there is none, or none was found within the limits.
 */
#ifndef PF_PECAN_ANOTHER_H
#define PF_PECAN_ANOTHER_H

#include "engine/engine.h"
#include "reschedule.h"

struct pf_schedule_finder {
    const struct pf_trace *t;
    struct pf_partial_order g;
    struct pf_trace_index x;
    struct pf_rescheduler s;
    struct pf_window w;
    struct pf_query q;
    uint32_t start;
    pf_vec_u32 order;
};

void pf_schedule_finder_init(struct pf_schedule_finder *a, const struct pf_trace *t);
void pf_schedule_finder_release(struct pf_schedule_finder *a);

/* As Algorithms 3 and 4 have it: the first way that works. */
bool pf_schedule_finder_generate(struct pf_schedule_finder *a, const struct pf_pattern *p, const uint32_t *events);
/* The last `due` (1 or 2) of the n events follow each other at once. `margin`: events around them that may be
 * moved. Bounded by pf_limits_default. */
bool pf_schedule_finder_solve(struct pf_schedule_finder *a, const uint32_t *events, uint32_t n, uint32_t due,
                    uint32_t margin);

#endif
