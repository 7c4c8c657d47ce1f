/*
 * touch.h - the quick way into a cell, tried before pf_cell_access.
 */
#ifndef PF_RT_TOUCH_H
#define PF_RT_TOUCH_H

#include "cell.h"

static inline bool pf_stmt_known(const uint32_t *clock, uint64_t s)
{
    return pf_stmt_clk(s) <= clock[pf_stmt_sid(s)]; /* 0 is, a reference is not */
}

static inline bool pf_stmt_inside(uint64_t s, uint64_t a) { return !(s & ~a & PF_MASK_ALL); }
static inline bool pf_stmt_apart(uint64_t s, uint64_t a) { return !(s & a & PF_MASK_ALL); }

/*
 * The usual first touch of a granule in a new epoch, with one or two stores: all that stands in the
 * cell happened before, so nothing races, and the access takes a place in front whose statement it
 * replaces whole; or it joins a statement of its own place and epoch. False, with nothing done, in
 * every other case. `mine` is the access with its id, `clock` that of its thread, the caller.
 */
static inline __attribute__((always_inline)) bool
pf_cell_touch(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t a = mine & ~PF_BITS_ID;
    uint64_t s0 = __atomic_load_n(&cell[0], __ATOMIC_RELAXED);
    uint64_t s1 = __atomic_load_n(&cell[1], __ATOMIC_RELAXED);
    if (!pf_stmt_known(clock, s0) || !pf_stmt_known(clock, s1))
        return false;
    if (__builtin_expect(*pf_cell_more_used(cell), 0)) {
        uint64_t *more = pf_cell_more(cell);
        uint64_t s2 = __atomic_load_n(&more[0], __ATOMIC_RELAXED);
        uint64_t s3 = __atomic_load_n(&more[1], __ATOMIC_RELAXED);
        if (!pf_stmt_known(clock, s2) || !pf_stmt_known(clock, s3))
            return false;
        if (a & PF_BIT_W && !(pf_stmt_apart(s2, a) && pf_stmt_apart(s3, a)))
            return false;
    }
    if (a & PF_BIT_W) {
        if (!pf_stmt_inside(s0, a)) {
            if ((s0 ^ mine) << 8)
                return false;
            mine |= s0; /* other bytes, from the same place in the same epoch */
        }
        if (!pf_stmt_apart(s1, a)) {
            if (!pf_stmt_inside(s1, a))
                return false;
            __atomic_store_n(&cell[1], 0, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&cell[0], mine, __ATOMIC_RELAXED);
    } else {
        if (s1 & (PF_BIT_W | PF_BIT_A))
            return false;
        if (!((s0 ^ a) & (PF_BITS_SID | PF_BITS_CLK)) && !pf_stmt_apart(s0, a))
            return false; /* a write of this epoch covers it, the cell is to say so */
        if (!pf_stmt_inside(s1, a)) {
            if ((s1 ^ mine) << 8)
                return false;
            mine |= s1;
        }
        __atomic_store_n(&cell[1], mine, __ATOMIC_RELAXED);
    }
    __pf_tls.thread->dirty = true;
    return true;
}

#endif
