/*
 * explore_slices.h - how much of the systematic search (pf explore) a check runs, and when.
 *
 * Model:   the search runs in slices. Each slice starts again from the first execution, because a
 *          step keeps nothing in memory, and is at least four times as long as the one before. So
 *          all earlier slices together have at most a third as many schedules as the next one. If
 *          runs are short (at most 2000 events), the first slice has only a few schedules, and
 *          comes before the predictions: many programs fail in one of them. The next one follows
 *          the predictions. It is shorter if runs are long. Another slice is due when the batches
 *          have run a quarter of its schedules, which takes about as long. (The chain also starts
 *          one when the search has used less time than all other steps.) The search ends when a
 *          slice has no target left, or fails.
 * Memory:  plain data. No clock: the same results always give the same slices.
 * Threads: one.
 */
#ifndef PF_CHECK_EXPLORE_SLICES_H
#define PF_CHECK_EXPLORE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct pf_explore_slices {
    uint64_t done; /* schedules of the last slice; 0: there was none */
    uint64_t left; /* targets that it left */
    uint64_t ms;   /* its time */
    bool over;
};

/* True if the next slice comes before the predictions; length: the number of events of a run. */
bool pf_explore_slices_looks(const struct pf_explore_slices *s, uint64_t length);
/* The number of schedules of the next slice. */
uint64_t pf_explore_slices_next(const struct pf_explore_slices *s, uint64_t length);
/* True if it is due, when batches have run this many schedules. */
bool pf_explore_slices_due(const struct pf_explore_slices *s, uint64_t length, uint64_t sampled);
/* Adds a slice that has run this many schedules; 0: it failed. */
void pf_explore_slices_add(struct pf_explore_slices *s, uint64_t schedules, uint64_t left,
                           uint64_t ms);

#endif
