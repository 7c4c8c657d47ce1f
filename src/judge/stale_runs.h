/*
 * stale_runs.h - judges a race under a memory model that is weaker than sequential consistency.
 *
 * Model:   both orders of the race run again, under the same schedules. Now a read of the memory
 *          of the race may return other values than the newest one (--as-paper: every read). The
 *          values are choices of the run. Every run shows at which events there were choices; each
 *          other option at each of them gives a further run. So every sequence of choices is run
 *          once, until there are no more or the limit is reached.
 *
 *          A result that no sequentially consistent run of either order has decides the class.
 *          The sequentially consistent runs are the control group: before a result is blamed on
 *          the memory model, more of them are made.
 * Memory:  as in judge_runs.h.
 * Threads: the caller must be single-threaded.
 * Errors:  runs that cannot be made are counted as not explored.
 */
#ifndef PF_JUDGE_STALE_RUNS_H
#define PF_JUDGE_STALE_RUNS_H

#include "judge_runs.h"

/* Judges the race of `sc`, whose runs have decided the class in *out so far. enforced: the other
 * order is possible. Changes the class if the memory model makes it worse; adds evidence. */
void pf_stale_runs_judge(struct pf_judge_runs *sc, bool enforced, struct pf_verdict *out);

#endif
