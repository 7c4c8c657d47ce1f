/*
 * candidates.h - the pairs worth a look: conflicting accesses of two threads, no common lock, not
 * ordered by anything that no reordering can change.
 *
 * Model:   O'Callahan and Choi's hybrid relation: disjoint locksets, and unordered by program order,
 *          start/join, notify/wake, barriers and messages.
 * Memory:  per cell a bounded history, one entry for each (thread, lockset, kind, site): the newest
 *          such access stands for the older ones, which are ordered before whatever it is ordered
 *          before. What falls out of a full history is counted.
 * Cost:    O(n * history).
 */
#ifndef PF_PREDICT_CANDIDATES_H
#define PF_PREDICT_CANDIDATES_H

#include "analysis.h"

/* Calls f(arg, a, b) for each pair, b in trace order, a from the newest to the oldest. Adds to `out` how
 * many accesses fell out of a history, and whether it was stopped. */
void pf_candidates(const struct pf_trace *t, const struct pf_limits *limits, struct pf_result *out,
                   void (*f)(void *arg, uint32_t a, uint32_t b), void *arg);

#endif
