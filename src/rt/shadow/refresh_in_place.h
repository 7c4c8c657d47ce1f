/*
 * refresh_in_place.h - a thread's own statement in a private record, renewed where it stands.
 *
 * Model:   a granule that more threads use at a time than its cell has words for: each of them has
 *          a statement in the record, and in a new epoch it says the same again. That needs no look
 *          at those of the others where none of these can race with it: among reads for a plain
 *          read, among atomic ones for an atomic access (pf_access_set.kinds). In large records
 *          they are left alone, even some that could go: whoever made them will look for them.
 *          There a statement stands at the place that its slot asks for, if it can: it is mostly
 *          found at once.
 * Threads: under the stripe of the cell; to see that a statement of this epoch stands there takes
 *          no lock.
 */
#ifndef PF_RT_RENEW_H
#define PF_RT_RENEW_H

#include "access_set.h"
#include <stdbool.h>

#define PF_PRESERVE_MOST                                                                           \
    __attribute__((preserve_most)) /* called where compiled code keeps its registers */

/* Where a statement of slot sid is looked for first, among n > 0. */
static inline unsigned pf_spill_index(unsigned n, uint32_t sid)
{
    unsigned all = n > 1 ? 1u << (32 - __builtin_clz(n - 1)) : 1, at = sid & (all - 1);
    return at < n ? at : at - all / 2;
}

/* The access `mine` (pf_access_make; with its id) is covered, or its thread's statement is renewed.
 * False if the cell has no such record, or the statement is not in it, or others may race with it,
 * or are to go: the caller goes the long way. */
PF_PRESERVE_MOST bool pf_spill_refresh(const uint32_t *clock, uint64_t *cell, uint64_t mine);
/* Is `mine`, which needs no id, seen to be covered at its place in the private record `ref` of the cell? */
PF_PRESERVE_MOST bool pf_spill_covers(const uint64_t *cell, uint64_t ref, uint64_t mine);

#endif
