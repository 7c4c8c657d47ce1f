/*
 * plan_steps.h - the schedule of a candidate as steps that the runtime follows (channel.h).
 *
 * Model:   several events can be parts of one operation, which happens as a whole: at its pivot, which is
 *          where what others wait for happens, or else its last part.
 * Memory:  plans and pivots are the caller's to free.
 */
#ifndef PF_CLI_HATCH_PLAN_H
#define PF_CLI_HATCH_PLAN_H

#include "channel.h"
#include "try_one.h"
#include "vec.h"

typedef PF_VEC(struct pf_plan_step) pf_plan;

/* For each event the pivot of its operation. */
uint32_t *pf_plan_pivots(const struct pf_trace *t);
/* The trace from event `from` up to event `to`. */
void pf_plan_trace(pf_plan *p, const struct pf_trace *t, const uint32_t *pivot, uint32_t from,
                   uint32_t to);
/* The candidate, from event `from` of the trace on, which is not behind its start. */
void pf_plan_candidate(pf_plan *p, const struct pf_trace *t, const uint32_t *pivot,
                       const struct pf_hatch *h, uint32_t from);
/* Up to here the candidate does as the trace did, and nothing that it is about. */
uint32_t pf_plan_shared(const struct pf_trace *t, const uint32_t *pivot, const struct pf_hatch *h);

PF_MUST_USE pf_status pf_plan_write(const pf_plan *p, const char *file, struct pf_error *e);

#endif
