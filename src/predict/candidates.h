/*
 * candidates.h - candidate pairs: conflicting accesses of two threads that hold no common lock, and
 * whose order is not the same in every reordering.
 *
 * Model:   the hybrid relation of O'Callahan and Choi: disjoint locksets, and unordered by program
 *          order, fork/join, notify/wake, barriers and messages.
 * Memory:  a bounded history per cell, with one entry per (thread, lockset, kind, site). The newest
 *          such access represents the older ones: everything ordered after it is ordered after
 *          them, too. How many it represents is passed on, because pairs with these may race where
 *          the pair with the newest one does not. Entries that are dropped from a full history are
 *          counted.
 * Cost:    O(n * history).
 */
#ifndef PF_PREDICT_CANDIDATES_H
#define PF_PREDICT_CANDIDATES_H

#include "analysis.h"

/* A candidate pair: a is earlier in the trace. It also represents the pairs of b with `older`
 * accesses before a. */
typedef void pf_candidate_fn(void *arg, uint32_t a, uint32_t b, uint32_t older);

/* Calls f for each candidate pair: b in trace order, a from newest to oldest. Adds the number of
 * accesses dropped from full histories to `out`, and sets out->stopped if the search was
 * stopped. */
void pf_candidates_each(const struct pf_trace *t, const struct pf_limits *limits,
                        struct pf_result *out, pf_candidate_fn *f, void *arg);

#endif
