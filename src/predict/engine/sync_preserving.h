/*
 * sync_preserving.h - sync-preserving races over the whole trace (Mathur, Pavlogiannis, Viswanathan
 * 2021).
 *
 * Model:   a sync-preserving reordering keeps the order of the acquires of each lock, and the write
 *          that each read sees. The events that it must contain, so that a and b are next, form a
 *          closure: the predecessors of a and b in must-order (trace_index.h; including the edges
 *          of missing calls), the writes that these events read from, and, if two
 *          acquires of a lock are in the closure, the release of the earlier one. a and b race if
 *          neither is in the closure. The closure in trace order is the witness.
 * Memory:  one word per event and thread. The index must outlive it.
 */
#ifndef PF_ENGINE_SYNC_PRESERVING_H
#define PF_ENGINE_SYNC_PRESERVING_H

#include "analysis.h"
#include "trace_index.h"

struct pf_sync_preserving;

struct pf_sync_preserving *pf_sync_preserving_new(const struct pf_trace_index *x);
void pf_sync_preserving_free(struct pf_sync_preserving *r); /* NULL is allowed */
/* True if events a < b race; *out is then the race with its witness, which the caller owns. */
bool pf_sync_preserving_pair(struct pf_sync_preserving *r, uint32_t a, uint32_t b,
                             struct pf_race *out);
/* The same for any two accesses like a and b: of the same threads, by the same sites, to the same
 * cell. False if such accesses were searched before. */
bool pf_sync_preserving_search(struct pf_sync_preserving *r, uint32_t a, uint32_t b,
                               struct pf_race *out);
/* The work so far, in steps: one for each acquire that was examined when it entered a closure; and
 * as many as there are threads, for each lock to which the lock rule was applied and for each
 * pass. */
uint64_t pf_sync_preserving_work(const struct pf_sync_preserving *r);

#endif
