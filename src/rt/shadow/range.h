/*
 * range.h - whole granules beside each other, a run at a time.
 *
 * Model:   neighbours are mostly in the same state. What one access makes of a cell that needs no
 *          record depends on its two words alone, so what became of one becomes of all that follow
 *          with the same words: the rule is applied once for a run, the run is compared and stored
 *          four cells at a time.
 * Threads: as the ways of fast_update.h: words are read and written whole, an update can be lost to
 *          one that truly overlaps it in time. Not for strict mode.
 */
#ifndef PF_RT_RANGE_H
#define PF_RT_RANGE_H

#include "fast_update.h"

/* The marks of four cells (pf_cell_overflow_state). */
typedef uint32_t pf_overflow_states __attribute__((aligned(1), may_alias));

/* What the access makes of a cell with the words `was` and none of the marks `others`. */
struct pf_transition {
    uint64_t was0, was1, now0, now1;
    pf_overflow_states blocking_states;
};
#define PF_TRANSITION_NONE ((struct pf_transition){1, 1, 1, 1, ~0u}) /* 1: no statement is */

/* The marks of four cells whose other words matter to such an access: reads do not mind reads. */
#define PF_STATES_ANY 0xffffffffu
#define PF_STATES_FOR(write) ((write) ? PF_STATES_ANY : 0xfefefefeu)

/* How many of n cells have no bit at `shift` or above in which their word differs from `key`: a
 * multiple of 4. `word` is that of the first cell. */
static inline __attribute__((always_inline)) uint64_t pf_range_count_equal(const uint64_t *word,
                                                                           uint64_t n, uint64_t key,
                                                                           unsigned shift)
{
    uint64_t i = 0;
    for (; n - i >= 4; i += 4, word += 8) {
        uint64_t differs = (pf_word_get(&word[0]) ^ key) | (pf_word_get(&word[2]) ^ key) |
                           (pf_word_get(&word[4]) ^ key) | (pf_word_get(&word[6]) ^ key);
        if (differs >> shift)
            break;
    }
    return i;
}

/* Makes the turn in the cells that are ready for it: so many, a multiple of 4. */
static inline __attribute__((always_inline)) uint64_t
pf_range_apply(uint64_t *cell, uint64_t n, const struct pf_transition *last, bool write)
{
    const uint8_t *overflow = pf_cell_overflow_state(cell);
    uint64_t i = 0, was0 = last->was0, was1 = last->was1, now0 = last->now0, now1 = last->now1;
    for (; n - i >= 4; i += 4, cell += 8) {
        uint64_t differs = (pf_word_get(&cell[0]) ^ was0) | (pf_word_get(&cell[1]) ^ was1) |
                           (pf_word_get(&cell[2]) ^ was0) | (pf_word_get(&cell[3]) ^ was1) |
                           (pf_word_get(&cell[4]) ^ was0) | (pf_word_get(&cell[5]) ^ was1) |
                           (pf_word_get(&cell[6]) ^ was0) | (pf_word_get(&cell[7]) ^ was1);
        if (differs || *(const pf_overflow_states *)(overflow + i) & last->blocking_states)
            break;
        for (unsigned k = 0; k < 8; k += 2) {
            if (write)
                pf_word_put(&cell[k], now0);
            pf_word_put(&cell[k + 1], now1);
        }
    }
    return i;
}

/* Do all words of the cell, which has more than two, happen before? */
static inline __attribute__((always_inline)) bool pf_cell_all_ordered(const uint32_t *clock,
                                                                      uint64_t *cell)
{
    const uint64_t *overflow = pf_cell_overflow(cell);
    bool known = pf_access_ordered(clock, pf_word_get(&cell[0])) &&
                 pf_access_ordered(clock, pf_word_get(&cell[1]));
    for (unsigned i = 0; known && i < PF_OVERFLOW_WORDS; i++)
        known = pf_access_ordered(clock, pf_word_get(&overflow[i]));
    return known;
}

/*
 * The access `a`, of whole granules and named, to n cells from `cell` on: so many from the front
 * are done, less than n where one needs more than the quick ways. *turn is what was made of the
 * last one that was not covered. `write` is constant.
 */
static inline __attribute__((always_inline)) uint64_t
pf_range_fast_update(const uint32_t *clock, uint64_t *cell, uint64_t n, uint64_t a, bool write,
                     struct pf_transition *last)
{
    unsigned shift = write ? PF_WRITE_BIT : PF_CLK_SHIFT;
    uint64_t key = (a | PF_BIT_W) & ~PF_BITS_ID, done = 0;
    while (done < n) {
        uint64_t *at = cell + 2 * done, s0 = pf_word_get(&at[0]), s1 = pf_word_get(&at[1]);
        if (((write ? s0 : s1) ^ key) >> shift == 0) {
            done += 1 + pf_range_count_equal(&at[write ? 2 : 3], n - done - 1, key, shift);
            continue;
        }
        uint8_t state = *pf_cell_overflow_state(at);
        if (s0 == last->was0 && s1 == last->was1 && !(state & last->blocking_states)) {
            if (write)
                pf_word_put(&at[0], last->now0);
            pf_word_put(&at[1], last->now1);
            done += 1 + pf_range_apply(at + 2, n - done - 1, last, write);
        } else if (!write && s1 == __pf_tls.read_set) {
            done += 1 + pf_range_count_equal(&at[3], n - done - 1, s1, 0);
        } else if (!(state & PF_STATES_FOR(write)) &&
                   pf_cell_fast_update_simple(clock, at, s0, s1, a, write)) {
            if (!(s0 | s1))
                pf_prefault_range(at, (n - done) * 16);
            *last = (struct pf_transition){s0, s1, write ? a : s0, a, PF_STATES_FOR(write)};
            done++;
        } else if (write && pf_word_is_ref(s1) && pf_access_ordered(clock, s0) &&
                   pf_read_set_replaceable(clock, at, s1, a)) {
            pf_word_put(&at[0], a);
            pf_word_put(&at[1], a);
            __pf_tls.thread->dirty = true;
            *last = (struct pf_transition){s0, s1, a, a, PF_STATES_ANY};
            done++;
        } else if (write && state &&
                   pf_cell_all_ordered(clock, at)) { /* it takes the place of all */
            pf_word_put(&at[0], a);
            pf_word_put(&at[1], a);
            pf_cell_overflow_set_state(at, 0);
            __pf_tls.thread->dirty = true;
            done++;
        } else {
            return done;
        }
    }
    return done;
}

#endif
