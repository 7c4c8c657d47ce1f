/*
 * cell_check_only.c - accesses of check-only threads (rt.h): they are compared with the records of
 * a cell but leave none.
 */
#include "access_set.h"
#include "cell_words.h"
#include "spin.h"

/* Lists the records that the access races with in a cell that refers to a set, and clears a read
 * set that it replaces. The caller holds the stripe. */
static void check_only_set(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s1,
                           struct pf_racing *racing)
{
    const struct pf_access_set *set = pf_access_set_at(s1);
    uint64_t s0 = pf_word_get(&cell[0]);
    unsigned max = sizeof racing->record / sizeof *racing->record;
    if (pf_access_races(t->order.clock, s0, a))
        racing->record[racing->n++] = s0;
    for (unsigned i = 0; i < set->n && racing->n < max; i++)
        if (pf_access_races(t->order.clock, set->record[i], a))
            racing->record[racing->n++] = set->record[i];
    if (!racing->n && (a & PF_BIT_W) && !(a & PF_BIT_A) &&
        pf_read_set_replaceable(t->order.clock, cell, s1, a)) {
        struct pf_cell_update v = {a, 0, 0};
        s0 = pf_cell_update_apply(t->order.clock, &v, s0);
        pf_word_put(&cell[0], s0);
        pf_word_put(&cell[1], s0);
    }
}

/* The same for a cell without a set. Records are removed byte by byte, as if the access replaced
 * them. */
static void check_only_words(struct pf_thread *t, uint64_t a, uint64_t *cell,
                             uint64_t s[PF_CELL_WORDS], struct pf_racing *racing)
{
    struct pf_cell_update v = {a, 0, 0};
    uint64_t n[PF_CELL_WORDS];
    for (unsigned i = 0; i < PF_CELL_WORDS; i++) {
        v.race = 0;
        n[i] = pf_cell_update_apply(t->order.clock, &v, s[i]);
        if (v.race && !(i && s[i] == s[i - 1]))
            racing->record[racing->n++] = s[i];
    }
    pf_cell_words_put(cell, s, n);
}

void pf_cell_check_only(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), s[PF_CELL_WORDS];
    if (!(pf_word_get(&cell[0]) | pf_word_get(&cell[1])))
        return;
    struct pf_racing racing;
    racing.n = 0;
    pf_cell_words_get(cell, s);
    struct pf_spin *stripe = pf_rt.strict || pf_word_is_ref(s[1]) ? pf_cell_stripe(cell) : NULL;
    if (stripe) {
        pf_spin_lock(stripe);
        pf_cell_words_get(cell, s);
    }
    if (pf_word_is_ref(s[1])) {
        if (stripe) /* else it became a reference just now; the next access sees it */
            check_only_set(t, a, cell, s[1], &racing);
    } else {
        check_only_words(t, a, cell, s, &racing);
    }
    if (stripe)
        pf_spin_unlock(stripe);
    struct pf_cell_update v = {a, 0, 0};
    if (racing.n)
        pf_cell_report(t, &v, addr, site, racing.record, racing.n);
}
