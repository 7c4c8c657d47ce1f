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

/* The two as one statement, if they are of one kind and epoch and their pair of ids is at hand. */
static inline uint64_t pf_stmt_join(uint64_t s, uint64_t mine)
{
    if (!((s ^ mine) << 8))
        return s | mine;
    if ((s ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID))
        return 0;
    unsigned alone = (unsigned)((s & ~mine) >> PF_MASK_SHIFT);
    uint64_t pair = pf_idpair_word(pf_stmt_id(s), alone, pf_stmt_id(mine));
    uint32_t id = pf_idpair_cached(&__pf_tls.thread->pairs, pair);
    return id ? ((s | mine) & ~PF_BITS_ID) | id : 0;
}

static inline uint64_t pf_word_get(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline void pf_word_put(uint64_t *p, uint64_t s)
{
    __atomic_store_n(p, s, __ATOMIC_RELAXED);
}

/* Is s of the same epoch, as strong, and of all its bytes? */
static inline bool pf_stmt_covers(uint64_t s, uint64_t mine)
{
    return !((s ^ mine) & (PF_BITS_SID | PF_BITS_CLK)) && !(mine & ~s & PF_BIT_W) &&
           !(s & ~mine & PF_BIT_A) && pf_stmt_inside(mine, s);
}

/* Says s1 nothing that s0 does not say? A write stands in both words where it can, so that reads
 * find it too. */
static inline bool pf_stmt_double(uint64_t s0, uint64_t s1)
{
    return !((s0 ^ s1) << 8) && pf_stmt_inside(s1, s0);
}

/* Can a plain read race with s? Not with a read, nor with what happened before. */
static inline bool pf_stmt_calm(const uint32_t *clock, uint64_t s)
{
    return !(s & PF_BIT_W) || pf_stmt_known(clock, s);
}

/* May the plain read `mine` take the place of s? */
static inline bool pf_stmt_yields(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return !(s & (PF_BIT_W | PF_BIT_A)) && pf_stmt_inside(s, mine) && pf_stmt_known(clock, s);
}

/*
 * The usual first touch of a granule in a new epoch, with one or two stores: nothing that stands in
 * the cell races with it, and it takes the place of statements that it replaces whole, or joins one
 * of its own epoch. False, with nothing done, in every other case. `mine` is the access with its
 * id, `clock` that of its thread, the caller.
 */
static inline __attribute__((always_inline)) bool pf_cell_touch_read(const uint32_t *clock,
                                                                     uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]), *more = pf_cell_more(cell);
    if (!pf_stmt_calm(clock, s0))
        return false;
    if (!((s1 ^ mine) << 8) && !*pf_cell_more_used(cell)) { /* the next byte of a string, say */
        pf_word_put(&cell[1], s1 | mine);
        return true;
    }
    if (!pf_stmt_calm(clock, s1))
        return false;
    if (!((s0 ^ mine) & (PF_BITS_SID | PF_BITS_CLK | PF_BIT_A)) && !pf_stmt_apart(s0, mine)) {
        /* A write of this epoch covers it: let the next read find that where it looks. */
        if (!pf_stmt_inside(mine, s0) || !pf_stmt_inside(s1, s0) || !pf_stmt_known(clock, s1))
            return false;
        pf_word_put(&cell[1], s0);
        return true;
    }
    if (__builtin_expect(!*pf_cell_more_used(cell), 1)) {
        if (!pf_stmt_yields(clock, s1, mine) && !pf_stmt_double(s0, s1)) {
            mine = pf_stmt_join(s1, mine);
            if (!mine)
                return false;
        }
    } else {
        unsigned yields = PF_MORE_WORDS;
        for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
            uint64_t s = pf_word_get(&more[i]);
            if (!pf_stmt_calm(clock, s))
                return false;
            if (s && pf_stmt_yields(clock, s, mine))
                yields = i;
        }
        if (!pf_stmt_yields(clock, s1, mine) && !pf_stmt_double(s0, s1)) {
            uint64_t one = pf_stmt_join(s1, mine);
            if (one)
                mine = one;
            else if (yields < PF_MORE_WORDS) /* to the front, where reads look */
                pf_word_put(&more[yields], s1);
            else
                return false;
        }
    }
    pf_word_put(&cell[1], mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool pf_cell_touch_write(const uint32_t *clock,
                                                                      uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]), *more = pf_cell_more(cell);
    uint64_t a = mine;
    if (!((s0 ^ mine) << 8) && (!s1 || s1 == s0) && !*pf_cell_more_used(cell)) {
        pf_word_put(&cell[0], s0 | mine);
        pf_word_put(&cell[1], s0 | mine);
        return true;
    }
    if (!pf_stmt_known(clock, s0) || !pf_stmt_known(clock, s1))
        return false;
    if (__builtin_expect(*pf_cell_more_used(cell), 0)) {
        for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
            uint64_t s = pf_word_get(&more[i]);
            if (!pf_stmt_known(clock, s) || !pf_stmt_apart(s, a))
                return false;
        }
    }
    if (!pf_stmt_inside(s0, a)) {
        bool same = !((s0 ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID));
        mine = pf_stmt_join(s0, mine); /* other bytes in the same epoch */
        if (!mine && (same || (s1 && !pf_stmt_double(s0, s1))))
            return false;
        if (!mine) { /* of another one: what is left of it moves back */
            pf_word_put(&cell[1], s0 & ~(a & PF_MASK_ALL));
            pf_word_put(&cell[0], a);
            __pf_tls.thread->dirty = true;
            return true;
        }
    }
    if (pf_stmt_inside(s1, a) || pf_stmt_double(s0, s1))
        pf_word_put(&cell[1], mine);
    else if (!pf_stmt_apart(s1, a))
        return false;
    pf_word_put(&cell[0], mine);
    __pf_tls.thread->dirty = true;
    return true;
}

/* The same for an atomic access: it is covered, or takes the place of an older atomic one in front. */
static inline __attribute__((always_inline)) bool
pf_cell_touch_atomic(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (pf_stmt_covers(s0, mine) || pf_stmt_covers(s1, mine))
        return true;
    if (!(s0 & PF_BIT_A) || !pf_stmt_inside(s0, mine) || (s0 & ~mine & PF_BIT_W))
        return false;
    if (!pf_stmt_known(clock, s0) || !pf_stmt_known(clock, s1) || *pf_cell_more_used(cell))
        return false;
    pf_word_put(&cell[0], mine);
    __pf_tls.thread->dirty = true;
    return true;
}

/* The plainest cases of pf_cell_touch, for code that must need few registers; `write` is constant. */
static inline __attribute__((always_inline)) bool
pf_cell_touch_lean(const uint32_t *clock, uint64_t *cell, uint64_t mine, bool write)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (__builtin_expect(*pf_cell_more_used(cell), 0) || !pf_stmt_known(clock, s0))
        return false;
    if (write) {
        if (!pf_stmt_known(clock, s1))
            return false;
        if ((s0 ^ mine) << 8 == 0)
            mine |= s0;
        else if (!pf_stmt_inside(s0, mine))
            return false;
        pf_word_put(&cell[0], mine);
        s1 &= ~(mine & PF_MASK_ALL); /* what it leaves of the other one, or itself again */
        mine = s1 & PF_MASK_ALL ? s1 : mine;
    } else {
        if ((s1 ^ mine) << 8 == 0)
            mine |= s1;
        else if (s1 != s0 && ((s1 & (PF_BIT_W | PF_BIT_A)) || !pf_stmt_inside(s1, mine) ||
                              !pf_stmt_known(clock, s1)))
            return false;
    }
    pf_word_put(&cell[1], mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool pf_cell_touch(const uint32_t *clock,
                                                                uint64_t *cell, uint64_t mine)
{
    return mine & PF_BIT_W ? pf_cell_touch_write(clock, cell, mine)
                           : pf_cell_touch_read(clock, cell, mine);
}

#endif
