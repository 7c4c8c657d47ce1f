/*
 * cell_clear.c - clearing and listing cells, and the stripes that lock them.
 */
#include "access_set.h"
#include "cell_words.h"
#include "spin.h"

#define STRIPES 1024 /* of cells */

static struct {
    struct pf_spin lock;
    char pad[60];
} stripes[STRIPES];

struct pf_spin *pf_cell_stripe(const uint64_t *cell)
{
    uint64_t n = (uintptr_t)cell >> 4;
    return &stripes[(n ^ n >> 10 ^ n >> 20) % STRIPES].lock;
}

void pf_cell_lock_all(void)
{
    for (int i = 0; i < STRIPES; i++)
        pf_spin_lock(&stripes[i].lock);
}

void pf_cell_unlock_all(void)
{
    for (int i = 0; i < STRIPES; i++)
        pf_spin_unlock(&stripes[i].lock);
}

/* Clears one cell and frees its spill. */
static void clear_one(uint64_t *cell)
{
    uint64_t s1 = pf_word_get(&cell[1]);
    struct pf_spin *stripe = pf_word_is_ref(s1) ? pf_cell_stripe(cell) : NULL;
    if (__builtin_expect(stripe != NULL, 0)) {
        pf_spin_lock(stripe);
        s1 = pf_word_get(&cell[1]);
    }
    if (pf_word_get(&cell[0]) | s1) {
        pf_word_put(&cell[0], 0);
        pf_word_put(&cell[1], 0);
    }
    pf_cell_overflow_set_state(cell, 0);
    if (__builtin_expect(stripe != NULL, 0)) {
        if (pf_word_is_ref(s1))
            pf_spill_free(s1);
        pf_spin_unlock(stripe);
    }
}

/* Clears four cells at once. Returns false, with nothing done, if one of them has a set. */
static inline bool clear_four(uint64_t *cell)
{
    uint64_t any = 0;
    uint32_t states; /* the overflow states of the four cells */
    for (unsigned i = 0; i < 8; i += 2) {
        uint64_t s1 = pf_word_get(&cell[i + 1]);
        if (__builtin_expect(pf_word_is_ref(s1), 0))
            return false;
        any |= pf_word_get(&cell[i]) | s1;
    }
    for (unsigned i = 0; any && i < 8; i++)
        pf_word_put(&cell[i], 0);
    __builtin_memcpy(&states, pf_cell_overflow_state(cell), sizeof states);
    for (unsigned i = 0; states && i < 8; i += 2)
        pf_cell_overflow_set_state(&cell[i], 0);
    return true;
}

void pf_cell_clear(uint64_t *from, uint64_t *to)
{
    while (from < to)
        if (to - from >= 8 && clear_four(from)) {
            from += 8;
        } else {
            clear_one(from);
            from += 2;
        }
}

unsigned pf_cell_list(uint64_t *cell, uint64_t *out, unsigned max)
{
    uint64_t w[PF_CELL_WORDS];
    unsigned n = 0;
    struct pf_spin *stripe = NULL;
    pf_cell_words_get(cell, w);
    /* a spill belongs to its cell, and exists, as long as the stripe is held */
    if (pf_word_is_ref(w[1])) {
        stripe = pf_cell_stripe(cell);
        pf_spin_lock(stripe);
        pf_cell_words_get(cell, w);
    }
    for (unsigned i = 0; i < PF_CELL_WORDS; i++) {
        const struct pf_access_set *set = pf_word_is_ref(w[i]) ? pf_access_set_at(w[i]) : NULL;
        for (unsigned k = 0; w[i] && n < max && k < (set ? set->n : 1u); k++)
            out[n++] = set ? set->record[k] : w[i];
    }
    if (stripe)
        pf_spin_unlock(stripe);
    return n;
}
