/*
 * cell.h - what has happened to one granule: the words of its cell and the records behind it.
 *
 * Model:   a cell is a set of statements (pf_shadow.h) that may still race with something: FastTrack
 *          for every byte, stored by masks. With ">=" for "write before read, plain before atomic":
 *          a new access a
 *            races with a statement s of another slot iff s did not happen before a, one of them
 *              writes, not both are atomic, and their bytes overlap;
 *            is left out where a statement s >= a of the same epoch covers it;
 *            else replaces, in the overlapping bytes, every s <= a that happened before it.
 *          A replaced s is no loss: what would race with s in future also races with a.
 *
 *          Up to six statements stand in the cell itself, four of them on the second plane. More
 *          stand in a record that cell[1] refers to: a private one of this granule, or an interned
 *          set of plain reads that many granules share (read-only data touched by the same threads
 *          from the same places costs one set, not words for every granule). Under a reference the
 *          words of the second plane are 0.
 * Memory:  records from the store; private ones go back when they are not needed, sets stay.
 * Threads: words are read and written whole. Private records are used under a striped lock. In the
 *          default mode cells are not locked: an update can be lost to one that truly overlaps it
 *          in time. In strict mode every update holds the stripe.
 */
#ifndef PF_RT_CELL_H
#define PF_RT_CELL_H

#include "thread.h"

#define PF_MASK_ALL (0xffull << PF_MASK_SHIFT)
#define PF_BIT_W (1ull << PF_WRITE_BIT)
#define PF_BIT_A (1ull << PF_ATOMIC_BIT)
#define PF_BITS_ID ((1ull << PF_ID_BITS) - 1)
#define PF_BITS_CLK ((uint64_t)PF_CLK_MAX << PF_CLK_SHIFT)
#define PF_BITS_SID (1023ull << PF_SID_SHIFT)
#define PF_NO_SITE UINT32_MAX

static inline uint32_t pf_stmt_sid(uint64_t s) { return s >> PF_SID_SHIFT & 1023; }
static inline uint32_t pf_stmt_clk(uint64_t s) { return s >> PF_CLK_SHIFT & PF_CLK_MAX; }
static inline uint32_t pf_stmt_id(uint64_t s) { return s & PF_BITS_ID; }

static inline uint64_t *pf_cell_of(uintptr_t addr)
{
    return (uint64_t *)(PF_SHADOW_BASE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 3 << 4));
}

static inline uint64_t *pf_cell_more(uint64_t *cell)
{
    return (uint64_t *)(PF_MORE_BASE + 2 * ((uintptr_t)cell - PF_SHADOW_BASE));
}
/* 0: the words of pf_cell_more do not count; whoever changes that writes all of them first.
 * 1: none of them is a write, so reads need not look; 2: some may be. */
static inline uint8_t *pf_cell_more_used(const uint64_t *cell)
{
    return (uint8_t *)(PF_MORE_USED +
                       (((uintptr_t)cell - PF_SHADOW_BASE) >> (PF_MORE_USED_SHIFT + 1)));
}
static inline void pf_cell_more_mark(uint64_t *cell, uint64_t any) /* any: all words, or'ed */
{
    uint8_t mark = !any ? 0 : any >> PF_WRITE_BIT & 1 ? 2 : 1, *used = pf_cell_more_used(cell);
    if (*used != mark)
        __atomic_store_n(used, mark, __ATOMIC_RELEASE);
}
/* They become: the statement s alone. */
static inline void pf_cell_more_begin(uint64_t *cell, uint64_t s)
{
    uint64_t *more = pf_cell_more(cell);
    __atomic_store_n(&more[0], s, __ATOMIC_RELAXED);
    for (unsigned i = 1; i < PF_MORE_WORDS; i++)
        __atomic_store_n(&more[i], 0, __ATOMIC_RELAXED);
    pf_cell_more_mark(cell, s);
}

/* The statement of t's current epoch for the bytes of `mask` (8 bits), with id 0. */
static inline uint64_t pf_stmt_make(const struct pf_thread *t, unsigned mask, bool write,
                                    bool atomic)
{
    return (uint64_t)mask << PF_MASK_SHIFT | (atomic ? PF_BIT_A : 0) |
           (uint64_t)t->sid << PF_SID_SHIFT | (uint64_t)t->clk << PF_CLK_SHIFT |
           (write ? PF_BIT_W : 0);
}

/* The access `a` is made to the granule at addr. Its id is found from `site` when it is needed,
 * unless a has one already (then site is PF_NO_SITE). Reports races. */
void pf_cell_access(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site);
/* The same, but the access leaves no statement: it is compared with those that are there, and takes away
 * what it would replace. */
void pf_cell_look(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site);
/* The granules of [from, to) are as new; records go back. */
void pf_cell_clear(uint64_t *from, uint64_t *to);
/* The statements of a cell into out[0..max), as many as fit; returns how many. Its stripe must not be held. */
unsigned pf_cell_list(uint64_t *cell, uint64_t *out, unsigned max);

/* The lock of the records of a cell, and in strict mode of all that is in it. */
struct pf_spin *pf_cell_stripe(const uint64_t *cell);
void pf_cell_lock_all(void); /* around fork */
void pf_cell_unlock_all(void);

#endif
