/*
 * range.h - whole granules beside each other, a run at a time.
 *
 * Model:   neighbours are mostly in the same state. What one access makes of a cell that needs no
 *          record depends on its two words alone, so what became of one becomes of all that follow
 *          with the same words: the rule is applied once for a run, the run is compared and stored
 *          four cells at a time.
 * Threads: as the ways of fast_update.h: words are read and written whole, an update can be lost to one that
 *          truly overlaps it in time. Not for strict mode.
 */
#ifndef PF_RT_RANGE_H
#define PF_RT_RANGE_H

#include "fast_update.h"

/* The marks of four cells (pf_cell_more_used). */
typedef uint32_t pf_marks __attribute__((aligned(1), may_alias));

/* What the access makes of a cell with the words `was` and none of the marks `others`. */
struct pf_turn {
    uint64_t was0, was1, now0, now1;
    pf_marks others;
};
#define PF_TURN_NONE ((struct pf_turn){1, 1, 1, 1, ~0u}) /* 1: no statement is */

/* The marks of four cells whose other words matter to such an access: reads do not mind reads. */
#define PF_MARKS_ANY 0xffffffffu
#define PF_MARKS_FOR(write) ((write) ? PF_MARKS_ANY : 0xfefefefeu)

/* How many of n cells have no bit at `shift` or above in which their word differs from `key`: a multiple
 * of 4. `word` is that of the first cell. */
static inline __attribute__((always_inline)) uint64_t pf_range_like(const uint64_t *word,
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
static inline __attribute__((always_inline)) uint64_t pf_range_turn(uint64_t *cell, uint64_t n,
                                                                    const struct pf_turn *turn,
                                                                    bool write)
{
    const uint8_t *more = pf_cell_more_used(cell);
    uint64_t i = 0, was0 = turn->was0, was1 = turn->was1, now0 = turn->now0, now1 = turn->now1;
    for (; n - i >= 4; i += 4, cell += 8) {
        uint64_t differs = (pf_word_get(&cell[0]) ^ was0) | (pf_word_get(&cell[1]) ^ was1) |
                           (pf_word_get(&cell[2]) ^ was0) | (pf_word_get(&cell[3]) ^ was1) |
                           (pf_word_get(&cell[4]) ^ was0) | (pf_word_get(&cell[5]) ^ was1) |
                           (pf_word_get(&cell[6]) ^ was0) | (pf_word_get(&cell[7]) ^ was1);
        if (differs || *(const pf_marks *)(more + i) & turn->others)
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
static inline __attribute__((always_inline)) bool pf_cell_known(const uint32_t *clock,
                                                                uint64_t *cell)
{
    const uint64_t *more = pf_cell_more(cell);
    bool known =
        pf_stmt_known(clock, pf_word_get(&cell[0])) && pf_stmt_known(clock, pf_word_get(&cell[1]));
    for (unsigned i = 0; known && i < PF_MORE_WORDS; i++)
        known = pf_stmt_known(clock, pf_word_get(&more[i]));
    return known;
}

/*
 * The access `a`, of whole granules and named, to n cells from `cell` on: so many from the front are done,
 * less than n where one needs more than the quick ways. *turn is what was made of the last one that was not
 * covered. `write` is constant.
 */
static inline __attribute__((always_inline)) uint64_t pf_range_touch(const uint32_t *clock,
                                                                     uint64_t *cell, uint64_t n,
                                                                     uint64_t a, bool write,
                                                                     struct pf_turn *turn)
{
    unsigned shift = write ? PF_WRITE_BIT : PF_CLK_SHIFT;
    uint64_t key = (a | PF_BIT_W) & ~PF_BITS_ID, done = 0;
    while (done < n) {
        uint64_t *at = cell + 2 * done, s0 = pf_word_get(&at[0]), s1 = pf_word_get(&at[1]);
        if (((write ? s0 : s1) ^ key) >> shift == 0) {
            done += 1 + pf_range_like(&at[write ? 2 : 3], n - done - 1, key, shift);
            continue;
        }
        uint8_t mark = *pf_cell_more_used(at);
        if (s0 == turn->was0 && s1 == turn->was1 && !(mark & turn->others)) {
            if (write)
                pf_word_put(&at[0], turn->now0);
            pf_word_put(&at[1], turn->now1);
            done += 1 + pf_range_turn(at + 2, n - done - 1, turn, write);
        } else if (!write && s1 == __pf_tls.shared) {
            done += 1 + pf_range_like(&at[3], n - done - 1, s1, 0);
        } else if (!(mark & PF_MARKS_FOR(write)) &&
                   pf_cell_touch_lean(clock, at, s0, s1, a, write)) {
            if (!(s0 | s1))
                pf_ready_range(at, (n - done) * 16);
            *turn = (struct pf_turn){s0, s1, write ? a : s0, a, PF_MARKS_FOR(write)};
            done++;
        } else if (write && pf_is_ref(s1) && pf_stmt_known(clock, s0) &&
                   pf_set_yields(clock, at, s1, a)) {
            pf_word_put(&at[0], a);
            pf_word_put(&at[1], a);
            __pf_tls.thread->dirty = true;
            *turn = (struct pf_turn){s0, s1, a, a, PF_MARKS_ANY};
            done++;
        } else if (write && mark && pf_cell_known(clock, at)) { /* it takes the place of all */
            pf_word_put(&at[0], a);
            pf_word_put(&at[1], a);
            pf_cell_more_mark(at, 0);
            __pf_tls.thread->dirty = true;
            done++;
        } else {
            return done;
        }
    }
    return done;
}

#endif
