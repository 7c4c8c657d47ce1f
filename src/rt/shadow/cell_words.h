/*
 * cell_words.h - the words of a cell as cell*.c read, change and store them.
 *
 * Model:   a cell without a set has PF_CELL_WORDS words: two front words and the overflow words. An
 *          access is applied to each of them by access_rule.h; pf_cell_update collects the result.
 * Threads: as in cell.h: read all words, compute the new ones, store those that changed.
 */
#ifndef PF_RT_CELL_WORDS_H
#define PF_RT_CELL_WORDS_H

#include "fast_update.h"
#include "stack.h"

#define PF_CELL_WORDS (2 + PF_OVERFLOW_WORDS)

/* An access while it is applied to the records of a cell. */
struct pf_cell_update {
    uint64_t a;
    uint64_t covered; /* bytes of a, as mask bits, that an equal or stronger record covers */
    uint64_t race;    /* not 0: a record that the access races with */
};

/* Applies the access v->a to the record s. Returns what remains of s, 0 if nothing. */
PF_ALWAYS_INLINE uint64_t pf_cell_update_apply(const uint32_t *clock, struct pf_cell_update *v,
                                               uint64_t s)
{
    uint64_t both = s & v->a & PF_MASK_ALL;
    if (!both)
        return pf_access_globally_ordered(s) ? 0 : s;
    if (!((s ^ v->a) & PF_BITS_SID)) {
        if (!((s ^ v->a) & PF_BITS_CLK) && pf_access_as_strong(s, v->a)) {
            v->covered |= both;
            return s;
        }
    } else if (__builtin_expect(!pf_access_ordered(clock, s), 0)) {
        if (!((s | v->a) & PF_BIT_W) || (s & v->a & PF_BIT_A))
            return s;
        v->race = s;
    }
    return pf_access_replace(s, v->a);
}

PF_ALWAYS_INLINE bool pf_cell_update_covered(const struct pf_cell_update *v)
{
    return !(v->a & PF_MASK_ALL & ~v->covered);
}

/* Computes the site id of the access, unless it has one. */
PF_ALWAYS_INLINE void pf_cell_update_resolve_id(struct pf_thread *t, struct pf_cell_update *v,
                                                uint32_t site)
{
    if (!(v->a & PF_BITS_ID) && site != PF_NO_SITE)
        v->a |= pf_stack_id(t, site);
}

/* Reads all words of a cell; overflow words that are not in use read as 0. */
PF_ALWAYS_INLINE void pf_cell_words_get(uint64_t *cell, uint64_t s[PF_CELL_WORDS])
{
    bool overflow = *pf_cell_overflow_state(cell);
    s[0] = pf_word_get(&cell[0]);
    s[1] = pf_word_get(&cell[1]);
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        s[2 + i] = overflow ? pf_word_get(&pf_cell_overflow(cell)[i]) : 0;
}

/* While check-only threads exist (rt.h), no front word of a cell that has records may be empty:
 * their inline test looks at one front word only. An empty front word gets a record from the
 * overflow words, or a duplicate of the other front word. */
static inline void pf_cell_fill_front(uint64_t n[PF_CELL_WORDS])
{
    for (unsigned front = 0; front < 2; front++)
        for (unsigned i = 2; !n[front] && i < PF_CELL_WORDS; i++) {
            n[front] = n[i];
            n[i] = 0;
        }
    for (unsigned front = 0; front < 2; front++)
        if (!n[front])
            n[front] = n[!front];
}

/* Changes the words of a cell from `s` to `n`. In most cases this stores one word. */
PF_ALWAYS_INLINE void pf_cell_words_put(uint64_t *cell, const uint64_t s[PF_CELL_WORDS],
                                        uint64_t n[PF_CELL_WORDS])
{
    uint64_t has = 0, *overflow = pf_cell_overflow(cell);
    bool all = !*pf_cell_overflow_state(cell);
    if (__builtin_expect(pf_rt.check_only_threads, 0))
        pf_cell_fill_front(n);
    for (unsigned i = 2; i < PF_CELL_WORDS; i++)
        has |= n[i];
    for (unsigned i = 2; has && i < PF_CELL_WORDS; i++)
        if (all || n[i] != s[i])
            pf_word_put(&overflow[i - 2], n[i]);
    pf_cell_overflow_set_state(cell, has);
    for (unsigned i = 2; i-- > 0;)
        if (n[i] != s[i])
            pf_word_put(&cell[i], n[i]);
}

/* Stores both front words. */
PF_ALWAYS_INLINE void pf_cell_front_put(uint64_t *cell, uint64_t s0, uint64_t s1)
{
    if (__builtin_expect(pf_rt.check_only_threads, 0)) {
        s0 = s0 ? s0 : s1;
        s1 = s1 ? s1 : s0;
    }
    pf_word_put(&cell[0], s0);
    pf_word_put(&cell[1], s1);
}

/* The records that one access races with, for the report. */
struct pf_racing {
    unsigned n;
    uint64_t record[64]; /* further ones are not reported */
};

/* Reports the races of the access with the records of the cell, record[0..n), as they were before
 * the update. */
void pf_cell_report(struct pf_thread *t, struct pf_cell_update *v, uintptr_t addr, uint32_t site,
                    const uint64_t *record, unsigned n);

#endif
