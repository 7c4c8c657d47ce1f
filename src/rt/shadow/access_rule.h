/*
 * access_rule.h - what an access does to one access record: the cell rule (cell.h) record by
 * record.
 *
 * Model:   `a` (or `mine`) is the new access, s a record of the same granule, `clock` the clock of
 *          the thread that makes the access. cell.c and fast_update.h apply this rule to the words
 *          of a cell. front_update_macros.def, fast_update_macros.def, own_overflow_macros.def and
 *          widen_macros.def have parts of it in assembler; the unit test shadow_assembler compares
 *          them with the C code. A reference is a word that refers to a read set or a spill.
 * Threads: any; these functions only compute, except pf_access_merge, which may make a site id.
 */
#ifndef PF_RT_ACCESS_RULE_H
#define PF_RT_ACCESS_RULE_H

#include "cell.h"
#include "rt.h"
#include "site_per_byte.h"

/* Most arguments are constants where these functions are used, so that little code remains. */
#define PF_ALWAYS_INLINE static inline __attribute__((always_inline))

/* Tells the compiler that `a` is plain, and whether it is a write. */
#define PF_ASSUME_PLAIN(a, write)                                                                  \
    __builtin_assume(((a) & (PF_BIT_W | PF_BIT_A)) == ((write) ? PF_BIT_W : 0))

/* True if s happened before everything that the thread with this clock does from now on. */
PF_ALWAYS_INLINE bool pf_access_ordered(const uint32_t *clock, uint64_t s)
{
    return pf_access_clk(s) <= clock[pf_access_sid(s)]; /* true for 0, false for a reference */
}

/* True if s is ordered before every current and future thread; then it cannot race with anything.
 * True for 0, false for a reference. */
PF_ALWAYS_INLINE bool pf_access_globally_ordered(uint64_t s)
{
    return pf_access_clk(s) <=
           __atomic_load_n(&pf_rt.globally_ordered[pf_access_sid(s)], __ATOMIC_RELAXED);
}

/* Comparisons of byte masks: s within a; s and a disjoint. */
PF_ALWAYS_INLINE bool pf_access_bytes_within(uint64_t s, uint64_t a)
{
    return !(s & ~a & PF_MASK_ALL);
}
PF_ALWAYS_INLINE bool pf_access_bytes_disjoint(uint64_t s, uint64_t a)
{
    return !(s & a & PF_MASK_ALL);
}

/* True if s is at least as strong as a: a write if a is one, plain if a is plain. */
PF_ALWAYS_INLINE bool pf_access_as_strong(uint64_t s, uint64_t a)
{
    return !(a & ~s & PF_BIT_W) && !(s & ~a & PF_BIT_A);
}

PF_ALWAYS_INLINE bool pf_access_is_plain_read(uint64_t s) { return !(s & (PF_BIT_W | PF_BIT_A)); }

/* True if the access `a` races with s: s has another slot and is not ordered before it, they
 * overlap, one of them is a write, and they are not both atomic. */
PF_ALWAYS_INLINE bool pf_access_races(const uint32_t *clock, uint64_t s, uint64_t a)
{
    return !pf_access_bytes_disjoint(s, a) && ((s ^ a) & PF_BITS_SID) &&
           !pf_access_ordered(clock, s) && ((s | a) & PF_BIT_W) && !(s & a & PF_BIT_A);
}

/* True if s makes `mine` redundant: it is of the same epoch, at least as strong, and has all its
 * bytes. */
PF_ALWAYS_INLINE bool pf_access_covers(uint64_t s, uint64_t mine)
{
    return !((s ^ mine) & (PF_BITS_SID | PF_BITS_CLK)) && pf_access_as_strong(s, mine) &&
           pf_access_bytes_within(mine, s);
}

/* True if s and a are equal but for their bytes. */
PF_ALWAYS_INLINE bool pf_access_equal_but_bytes(uint64_t s, uint64_t a)
{
    return !((s ^ a) << (64 - PF_MASK_SHIFT));
}

/* True if s1 is redundant given s0. A plain write is stored in both words if possible, because the
 * fast path of reads tests only cell[1]. */
PF_ALWAYS_INLINE bool pf_access_is_duplicate(uint64_t s0, uint64_t s1)
{
    return pf_access_equal_but_bytes(s0, s1) && pf_access_bytes_within(s1, s0);
}

/* True if no plain read by this thread can race with s: s is a read, or happened before. */
PF_ALWAYS_INLINE bool pf_access_cannot_race_read(const uint32_t *clock, uint64_t s)
{
    return !(s & PF_BIT_W) || pf_access_ordered(clock, s);
}

/* True if the plain read `mine` cannot race with s. */
PF_ALWAYS_INLINE bool pf_access_cannot_race(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return pf_access_cannot_race_read(clock, s) || pf_access_bytes_disjoint(s, mine);
}

/* What remains of s, which is ordered before the access `a`, when `a` replaces it; 0 for nothing. A
 * record of a's epoch that is atomic if and only if `a` is, and has bytes outside `a`, stays whole:
 * the thread may well repeat it, and in the bytes of `a` it can race only with an access that also
 * races with `a`. */
PF_ALWAYS_INLINE uint64_t pf_access_replace(uint64_t s, uint64_t a)
{
    if (!pf_access_as_strong(a, s))
        return s;
    if (pf_access_bytes_within(s, a))
        return 0;
    return (s ^ a) & ~(PF_MASK_ALL | PF_BITS_ID | PF_BIT_W) ? s & ~(a & PF_MASK_ALL) : s;
}

/* The same for any s: one that is not ordered before `a` stays. */
PF_ALWAYS_INLINE uint64_t pf_access_remainder(const uint32_t *clock, uint64_t s, uint64_t a)
{
    return pf_access_as_strong(a, s) && pf_access_ordered(clock, s) ? pf_access_replace(s, a) : s;
}

/* True if nothing remains of s. */
PF_ALWAYS_INLINE bool pf_access_replaceable(const uint32_t *clock, uint64_t s, uint64_t a)
{
    return pf_access_as_strong(a, s) && pf_access_bytes_within(s, a) && pf_access_ordered(clock, s);
}

/* same slot, epoch, write and atomic bits */
PF_ALWAYS_INLINE bool pf_access_same_epoch_kind(uint64_t s, uint64_t mine)
{
    return !((s ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID));
}

/* True if s is subsumed by `by`, a record of the same slot that has all its bytes, is at least as
 * strong and is not older: a thread that has not seen s has not seen `by` either, so it races with
 * `by`, too. */
PF_ALWAYS_INLINE bool pf_access_subsumed_by(uint64_t s, uint64_t by)
{
    return !((s ^ by) & PF_BITS_SID) && (s & PF_BITS_CLK) <= (by & PF_BITS_CLK) &&
           pf_access_as_strong(by, s) && pf_access_bytes_within(s, by);
}

/* True if s is in the span of t, epochs that no other thread can distinguish (slot.h). */
PF_ALWAYS_INLINE bool pf_access_in_span(const struct pf_thread *t, uint64_t s)
{
    return (uint32_t)((s & (PF_BITS_SID | PF_BITS_CLK)) >> PF_CLK_SHIFT) - t->order.span.from <=
           t->order.span.more;
}

/* True if s is subsumed by the plain write w although s may be later: both are in the span of the
 * calling thread, so every thread has seen both or neither. */
PF_ALWAYS_INLINE bool pf_access_subsumed_in_span(uint64_t s, uint64_t w)
{
    const struct pf_thread *t = __pf_tls.thread;
    return (w & PF_BIT_W) && !(w & PF_BIT_A) && pf_access_bytes_within(s, w) &&
           pf_access_in_span(t, s) && pf_access_in_span(t, w);
}

/* Merges s and the new access `a` of the calling thread into one record if they are of the same
 * kind and epoch; returns 0 if that is impossible. */
PF_ALWAYS_INLINE uint64_t pf_access_merge(uint64_t *cell, uint64_t s, uint64_t a)
{
    if (pf_access_equal_but_bytes(s, a))
        return s | a;
    if (!pf_access_same_epoch_kind(s, a))
        return 0;
    if (pf_access_bytes_within(s, a))
        return a;
    uint32_t id = pf_site_per_byte_join(__pf_tls.thread, cell, s, a);
    return id ? ((s | a) & ~PF_BITS_ID) | id : 0;
}

#endif
