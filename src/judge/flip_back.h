/*
 * flip_back.h - compares a run with its twin, which differs from it in the order of the two
 * accesses only.
 *
 * Model:   the runs of both orders under random schedules differ in more than the order of the
 *          race. So the control group may contain a result that the race causes, for example
 *          because another instance of the same race has caused it there, too. Therefore a run of
 *          the alternate order is taken as a recording, and its schedule is followed with the order
 *          flipped back. If the outputs of these two runs differ, and nothing else differs
 *          (order_alone.h), the race is to blame. A failure that the twin has as well is not the
 *          fault of the race.
 * Memory:  release frees everything and removes the clips of the two runs.
 * Threads: the caller must be single-threaded.
 */
#ifndef PF_JUDGE_FLIP_BACK_H
#define PF_JUDGE_FLIP_BACK_H

#include "judge_runs.h"

struct pf_flip_back {
    struct pf_clip clip;
    char *name;
    struct pf_judge_case race; /* in that run: its primary order is that of the run */
    struct pf_judge_runs runs; /* two: the run again, and with the order flipped back */
};

/* Makes the two runs. False: they cannot be compared; release is still needed. */
bool pf_flip_back_run(struct pf_flip_back *f, const struct pf_judge_settings *how,
                      const struct pf_judge_case *race, const struct pf_judge_run *run);
/* The same for another instance of the race in that run: the number-th last pair of accesses to the
 * memory of the race, at its source positions and by two threads, with no such access between them.
 * False also if there are fewer. */
bool pf_flip_back_run_instance(struct pf_flip_back *f, const struct pf_judge_settings *how,
                               const struct pf_judge_case *race, const struct pf_judge_run *run,
                               unsigned number);
/* True if the order alone changes the output. */
bool pf_flip_back_matters(const struct pf_flip_back *f, const struct pf_judge_run *run);
/* True if the twin has the same result, up to the order of lines. */
bool pf_flip_back_same(const struct pf_flip_back *f, const struct pf_judge_run *run);
/* True if the twin fails in the same way as the run. */
bool pf_flip_back_fails(const struct pf_flip_back *f, const struct pf_judge_run *run);
/* True if the order alone makes the run fail: it fails again, and its twin does not. */
bool pf_flip_back_heals(const struct pf_flip_back *f, const struct pf_judge_run *run);
void pf_flip_back_release(struct pf_flip_back *f);

#endif
