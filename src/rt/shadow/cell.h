/*
 * cell.h - the shadow of one granule: the words of its cell, and the set that they may refer to.
 *
 * Model:   a cell is a set of access records (pf_shadow.h): those that may still race with a later
 *          access. This is FastTrack for every byte, stored with byte masks. A write is stronger
 *          than a read, a plain access is stronger than an atomic one; s >= a means that s is at
 *          least as strong as a in both respects. A new access a
 *            races with a record s of another slot iff s did not happen before a, one of the two is
 *              a write, they are not both atomic, and their bytes overlap;
 *            is not stored if records s >= a of the same epoch cover all its bytes;
 *            else is stored, and replaces, in the overlapping bytes, every record s <= a that
 *              happened before it or that it races with. (A record of a's epoch that is atomic iff
 *              a is, and has bytes outside a, stays whole: pf_access_replace.)
 *          Replacing s loses no race: a later access that would race with s also races with a.
 *
 *          cell[0] and cell[1] hold two records, the overflow words on the second plane four more.
 *          Otherwise cell[1] refers to a set of records (access_set.h). More than six records are
 *          in a spill, private to the granule. Two or more readers can become a read set earlier,
 *          which many granules share. (An array that the same threads read from the same sites
 *          costs one read set, not words for every granule.) While cell[1] is a reference the
 *          overflow words are not in use.
 * Memory:  sets come from the store. Spills are freed when they are no longer needed, read sets
 *          never.
 * Threads: words are read and written atomically. A spill may be changed only under the striped
 *          lock of its cell; reading it without the lock needs a second look at cell[1]. In the
 *          default mode cells are not locked, so an update can be lost to another one that overlaps
 *          it in time. In strict mode every update holds the stripe.
 */
#ifndef PF_RT_CELL_H
#define PF_RT_CELL_H

#include "thread.h"

#define PF_MASK_ALL (0xffull << PF_MASK_SHIFT)
#define PF_BIT_W (1ull << PF_WRITE_BIT)
#define PF_BIT_A (1ull << PF_ATOMIC_BIT)
#define PF_BITS_ID ((1ull << PF_ID_BITS) - 1)
#define PF_BITS_CLK ((uint64_t)PF_CLK_MAX << PF_CLK_SHIFT)
#define PF_BITS_SID ((uint64_t)PF_SID_MASK << PF_SID_SHIFT)
#define PF_NO_SITE UINT32_MAX

static inline uint32_t pf_access_sid(uint64_t s) { return s >> PF_SID_SHIFT & PF_SID_MASK; }
static inline uint32_t pf_access_clk(uint64_t s) { return s >> PF_CLK_SHIFT & PF_CLK_MAX; }
static inline uint32_t pf_access_id(uint64_t s) { return s & PF_BITS_ID; }

static inline uint64_t *pf_cell_of(uintptr_t addr)
{
    return (uint64_t *)(PF_SHADOW_BASE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 3 << 4));
}

_Static_assert(8 * PF_OVERFLOW_WORDS <= 2 << PF_CELL_SHIFT, "neighbouring cells share no word");
/* The overflow words of the cell; valid only while they are in use (pf_cell_overflow_state). */
static inline uint64_t *pf_cell_overflow(uint64_t *cell)
{
    return (uint64_t *)(PF_OVERFLOW_BASE + 2 * ((uintptr_t)cell - PF_SHADOW_BASE));
}
/* The state of the overflow words. */
enum {
    PF_OVERFLOW_UNUSED, /* the first update that uses them writes all four words */
    PF_OVERFLOW_READS,  /* in use; none of them is a write, so reads need not look at them */
    PF_OVERFLOW_WRITES  /* in use; some of them may be writes */
};
static inline uint8_t *pf_cell_overflow_state(const uint64_t *cell)
{
    return (uint8_t *)(PF_OVERFLOW_STATE +
                       (((uintptr_t)cell - PF_SHADOW_BASE) >> (PF_OVERFLOW_STATE_SHIFT + 1)));
}
/* any: the bitwise or of all overflow words */
static inline void pf_cell_overflow_set_state(uint64_t *cell, uint64_t any)
{
    uint8_t wanted = !any                      ? PF_OVERFLOW_UNUSED
                     : any >> PF_WRITE_BIT & 1 ? PF_OVERFLOW_WRITES
                                               : PF_OVERFLOW_READS,
            *state = pf_cell_overflow_state(cell);
    if (*state != wanted)
        __atomic_store_n(state, wanted, __ATOMIC_RELEASE);
}
/* Starts to use the overflow words, with s as their only record. */
static inline void pf_cell_overflow_init(uint64_t *cell, uint64_t s)
{
    uint64_t *overflow = pf_cell_overflow(cell);
    __atomic_store_n(&overflow[0], s, __ATOMIC_RELAXED);
    for (unsigned i = 1; i < PF_OVERFLOW_WORDS; i++)
        __atomic_store_n(&overflow[i], 0, __ATOMIC_RELAXED);
    pf_cell_overflow_set_state(cell, s);
}

/* The access record, with id 0, of an access by t in its current epoch to the bytes of `mask` (8
 * bits). */
static inline uint64_t pf_access_make(const struct pf_thread *t, unsigned mask, bool write,
                                      bool atomic)
{
    return (uint64_t)mask << PF_MASK_SHIFT | (atomic ? PF_BIT_A : 0) |
           (uint64_t)t->order.sid << PF_SID_SHIFT | (uint64_t)t->order.clk << PF_CLK_SHIFT |
           (write ? PF_BIT_W : 0);
}

/* Applies the access `a` to the granule at addr and reports its races. If `a` has no id yet, it is
 * computed from `site` when it is needed; if it has one, site is PF_NO_SITE. */
void pf_cell_access(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site);
/* The same, but stores no record: only reports races, and removes what the access would replace,
 * except from spills. Only while pf_rt.check_only_threads. */
void pf_cell_check_only(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site);
/* Clears the cells of [from, to) and frees their spills. */
void pf_cell_clear(uint64_t *from, uint64_t *to);
/* Copies the records of a cell to out[0..max), as many as fit; returns their number. The caller
 * must not hold the stripe of the cell. */
unsigned pf_cell_list(uint64_t *cell, uint64_t *out, unsigned max);

/* The lock for the spill of a cell; in strict mode, for the whole cell. */
struct pf_spin *pf_cell_stripe(const uint64_t *cell);
void pf_cell_lock_all(void); /* around fork */
void pf_cell_unlock_all(void);

#endif
