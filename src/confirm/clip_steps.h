/*
 * clip_steps.h - the steps of a confirmed finding, as its clip shows them.
 *
 * Model:   the schedule of a prediction tells what the threads would do; the clip has what they
 *          did: the values that they really read, and what followed. The events of the candidate
 *          are found in the clip by thread, number and position.
 * Memory:  the steps are allocated in the given pool.
 */
#ifndef PF_CONFIRM_CLIP_STEPS_H
#define PF_CONFIRM_CLIP_STEPS_H

#include "finding.h"
#include "pool.h"
#include "try_one.h"

/* Sets f->witness to the steps of the clip, which is replayed if it has no events. False: it could
 * not be replayed within limit_ms (0: no limit), or does not have the events of the candidate; f is
 * then unchanged. */
bool pf_clip_steps(struct pf_finding *f, struct pf_pool *pool, const struct pf_trace *t,
                   const struct pf_try_schedule *h, const char *clip, uint64_t limit_ms);

#endif
