/*
 * try_shared.h - many candidates of one recording put to the test in one run: what their schedules have
 * in common with the recording is run once.
 *
 * Model:   one run follows the recording. Where the schedule of a candidate leaves it, a copy of the
 *          process is made (src/rt/direct/schedule/checkpoint.h), which follows the candidate's schedule and
 *          then runs on to its end. The runtime is asked what the events of the candidate were, so
 *          that nothing needs to be replayed to be judged.
 * Memory:  candidates are the caller's.
 * Threads: to be called in a process of its own: it changes the environment and the core.
 * Errors:  a candidate that could not be judged so is left with tried == false: to be tried alone.
 */
#ifndef PF_CLI_HATCH_SHARED_H
#define PF_CLI_HATCH_SHARED_H

#include "try_one.h"

struct pf_shared {
    const struct pf_hatch *h;
    const char *clip; /* where it goes if it happened */
    struct pf_hatch_result *out; /* tried: it is judged */
};

/* At most PF_CONTINUATIONS of them. Files of its own go to the folder, which is there, and are removed. */
void pf_hatch_shared(const struct pf_trace *t, const struct pf_clip *recording,
                     const struct pf_shared *all, uint32_t n, const char *folder, unsigned jobs);

#endif
