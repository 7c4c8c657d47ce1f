/*
 * try_shared.h - tries many candidates of one recording in one run: the part that their schedules
 * share with the recording is executed once.
 *
 * Model:   one run follows the recording. Where the schedule of a candidate leaves it, a
 *          continuation is forked (src/rt/direct/schedule/checkpoint.h), which follows the
 *          candidate's schedule and then runs to its end. The runtime notes the events of the
 *          candidate as they happen, so no replay is needed to evaluate them.
 * Memory:  candidates belong to the caller.
 * Threads: must be called in a process of its own: it changes the environment and the core.
 * Errors:  a candidate that could not be evaluated keeps tried == false and must be tried alone.
 */
#ifndef PF_CONFIRM_TRY_SHARED_H
#define PF_CONFIRM_TRY_SHARED_H

#include "try_one.h"

struct pf_try_shared_item {
    const struct pf_try_schedule *h;
    const char *clip; /* path of the clip, written if it happens */
    struct pf_try_result *out; /* out->tried: it was evaluated */
};

/* Tries at most PF_CONTINUATIONS items. Temporary files are created in `folder`, which must
 * exist, and are removed. */
void pf_try_shared(const struct pf_trace *t, const struct pf_clip *recording,
                   const struct pf_try_shared_item *all, uint32_t n, const char *folder,
                   unsigned jobs);

#endif
