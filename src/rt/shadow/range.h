/*
 * range.h - the fast update of consecutive whole granules, in runs.
 *
 * Model:   neighbouring cells are mostly in the same state. What an access does to a cell without a
 *          spill depends only on the cell's two words. So the cell rule is applied to one cell; the
 *          transition of its words is then repeated for all following cells with the same words,
 *          which are compared and stored four at a time.
 * Threads: as in fast_update.h: words are read and written atomically, an update can be lost to
 *          another one that overlaps it in time. Not for strict mode.
 */
#ifndef PF_RT_RANGE_H
#define PF_RT_RANGE_H

#include "fast_update.h"

/* The overflow states of four cells (pf_cell_overflow_state). */
typedef uint32_t pf_overflow_states __attribute__((aligned(1), may_alias));

/* What the access does to a cell: the words was0 and was1 become now0 and now1. This applies only
 * to cells whose overflow state has no bit of blocking_states. */
struct pf_transition {
    uint64_t was0, was1, now0, now1;
    pf_overflow_states blocking_states;
};
/* 1 equals no word of a cell */
#define PF_TRANSITION_NONE ((struct pf_transition){1, 1, 1, 1, ~0u})

/* The overflow states that prevent the fast path, for four cells: reads ignore overflow words that
 * are reads. */
#define PF_STATES_ANY 0xffffffffu
#define PF_STATES_FOR(write)                                                                       \
    ((write) ? PF_STATES_ANY : PF_STATES_ANY - 0x01010101u * PF_OVERFLOW_READS)

/* Counts the leading cells whose tested word agrees with `key` in all bits from `shift` on; a
 * multiple of 4. `word` is the tested word of the first of n cells. */
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

/* Repeats the transition in the leading cells that it applies to. Returns their number, a multiple
 * of 4. */
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

/* pf_cell_fast_update_write, out of line: it would cost the loop below its registers. */
PF_PRESERVE_MOST static __attribute__((noinline, unused)) bool
pf_range_write_one(const uint32_t *clock, uint64_t *cell, uint64_t a)
{
    return pf_cell_fast_update_write(clock, cell, a);
}

/* Applies the access `a`, which has all 8 bytes and an id, to n cells. Returns how many leading
 * cells are done: fewer than n if the next one needs more than this fast path. *last is the
 * transition of the last cell whose transition can be repeated. `write` must be a compile-time
 * constant. */
static inline __attribute__((always_inline)) uint64_t
pf_range_fast_update(const uint32_t *clock, uint64_t *cell, uint64_t n, uint64_t a, bool write,
                     struct pf_transition *last)
{
    unsigned shift = write ? PF_WRITE_BIT : PF_CLK_SHIFT;
    uint64_t key = (a | PF_BIT_W) & ~PF_BITS_ID, done = 0, now1;
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
                   pf_cell_update_front(clock, at, s0, s1, a, write)) {
            if (!(s0 | s1)) {
                if (!write && pf_rt.check_only_threads) {
                    done++; /* pf_cell_insert_first has stored cell[0], too: not to be repeated */
                    continue;
                }
                pf_prefault_range(at, (n - done) * 16);
            }
            *last = (struct pf_transition){s0, s1, write ? a : s0, a, PF_STATES_FOR(write)};
            done++;
        } else if (write && (state || pf_word_is_ref(s1)) && pf_range_write_one(clock, at, a)) {
            if (!state)
                *last = (struct pf_transition){s0, s1, a, a, PF_STATES_ANY};
            done++;
        } else if (!write && !state &&
                   (pf_word_is_ref(s1) || pf_cell_may_repeat_pair(clock, s0, s1)) &&
                   (now1 = pf_cell_repeat_addition(clock, at, s0, s1, a))) {
            *last = (struct pf_transition){s0, s1, s0, now1, PF_STATES_ANY};
            done++;
        } else {
            return done;
        }
    }
    return done;
}

#endif
