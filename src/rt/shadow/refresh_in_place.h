/*
 * refresh_in_place.h - a thread updates its own record in a spill without touching the others.
 *
 * Model:   if more threads use a granule than its cell has words, each of them has a record in the
 *          spill, and in a new epoch it repeats the same access. The record is then refreshed in
 *          place. The other records need no comparison if none of them can race with the access:
 *          if all are reads, for a plain read; if all are atomic, for an atomic access
 *          (pf_access_set.kinds). In a large spill replaceable records of other threads are left
 *          alone, because these threads will look for them. There a record is stored, if possible,
 *          at an index computed from its slot, so that it is mostly found at once.
 * Threads: the functions take the stripe of the cell. Testing whether a record covers an access
 *          needs no lock.
 */
#ifndef PF_RT_REFRESH_IN_PLACE_H
#define PF_RT_REFRESH_IN_PLACE_H

#include "access_set.h"
#include <stdbool.h>

#define PF_PRESERVE_MOST __attribute__((preserve_most)) /* callers have live values in registers */

/* The preferred index of a record of slot sid among n > 0 records. */
static inline unsigned pf_spill_index(unsigned n, uint32_t sid)
{
    unsigned all = n > 1 ? 1u << (32 - __builtin_clz(n - 1)) : 1, at = sid & (all - 1);
    return at < n ? at : at - all / 2;
}

/* Refreshes the record of the calling thread for the access `mine` (with its id), unless it is
 * covered. Returns false if the cell has no spill, or the spill has no such record, or other
 * records may race with the access or should be removed; then the caller takes the slow path. */
PF_PRESERVE_MOST bool pf_spill_refresh(const uint32_t *clock, uint64_t *cell, uint64_t mine);
/* True if a record in the spill `ref` of the cell is seen to cover `mine`, which needs no id. */
PF_PRESERVE_MOST bool pf_spill_covers(const uint64_t *cell, uint64_t ref, uint64_t mine);

#endif
