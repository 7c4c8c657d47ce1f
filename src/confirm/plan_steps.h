/*
 * plan_steps.h - turns the schedule of a candidate into steps that the runtime follows (channel.h).
 *
 * Model:   several events can be parts of one operation, which the runtime executes as a whole. In
 *          the plan the operation is represented by its pivot: the first part that other threads
 *          can wait for, else its last part.
 * Memory:  the caller frees plans and pivots.
 */
#ifndef PF_CONFIRM_PLAN_STEPS_H
#define PF_CONFIRM_PLAN_STEPS_H

#include "channel.h"
#include "try_one.h"
#include "vector.h"

typedef PF_VEC(struct pf_schedule_plan_step) pf_schedule_plan;

/* Returns for each event the pivot of its operation. */
uint32_t *pf_schedule_plan_pivots(const struct pf_trace *t);
/* Appends the trace from event `from` up to, but not including, event `to`. */
void pf_schedule_plan_add_trace(pf_schedule_plan *p, const struct pf_trace *t,
                                const uint32_t *pivot, uint32_t from, uint32_t to);
/* Appends the candidate's schedule from event `from` of the trace on; `from` must not be after
 * h->start. */
void pf_schedule_plan_add_candidate(pf_schedule_plan *p, const struct pf_trace *t,
                                    const uint32_t *pivot, const struct pf_try_schedule *h,
                                    uint32_t from);
/* For each n from 0 to the number of events: the largest m <= n such that the first m events of the
 * trace consist of complete operations. The caller frees it. */
uint32_t *pf_schedule_plan_cuts(const struct pf_trace *t, const uint32_t *pivot);
/* Up to this event the candidate follows the trace, and none of its own events has happened. */
uint32_t pf_schedule_plan_shared_prefix(const uint32_t *cuts, const uint32_t *pivot,
                                        const struct pf_try_schedule *h);

PF_MUST_USE pf_status pf_schedule_plan_write(const pf_schedule_plan *p, const char *file,
                                             struct pf_error *e);

#endif
