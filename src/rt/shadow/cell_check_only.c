/*
 * cell_check_only.c - accesses that are compared with the records of a cell but leave none, and the
 * report of races.
 */
#include "access_set.h"
#include "cell_words.h"
#include "check.h"
#include "hooks.h"
#include "site_per_byte.h"
#include "spin.h"

struct race_report {
    struct pf_thread *t;
    uintptr_t granule;
    uint64_t now, then;
};

static void report_saved(void *arg)
{
    struct race_report *r = arg;
    pf_hooks.race_found(r->t, r->granule, r->now, r->then);
}

/* The record s restricted to the bytes that have the same site as `byte`, with the id of that
 * site. */
static uint64_t narrow_to_byte(const uint64_t *cell, uint64_t s, unsigned byte)
{
    uint32_t id = pf_site_per_byte_lookup(cell, s, byte);
    uint64_t mask = s & PF_MASK_ALL;
    for (unsigned b = 0; b < 8; b++)
        if (b != byte && s >> (PF_MASK_SHIFT + b) & 1 && pf_site_per_byte_lookup(cell, s, b) != id)
            mask &= ~(1ull << (PF_MASK_SHIFT + b));
    return mask | (s & ~(PF_MASK_ALL | PF_BITS_ID)) | id;
}

/* Finds the two records of pf_shadow_free, and makes of them the record of the free as a plain
 * write of its thread. 0: there are none. */
static uint64_t find_free(const uint64_t *record, unsigned n)
{
    uint64_t by = 0, when = 0;
    for (unsigned i = 0; i < n; i++)
        if (pf_access_sid(record[i]) == PF_SID_FREED)
            *(record[i] & PF_BIT_A ? &when : &by) = record[i];
    return by && when ? (by & (PF_MASK_ALL | PF_BITS_ID | PF_BIT_W)) | (when & PF_BITS_CLK) |
                            (when & PF_BITS_ID) << PF_SID_SHIFT
                      : 0;
}

__attribute__((noinline, cold)) void pf_cell_report(struct pf_thread *t, struct pf_cell_update *v,
                                                    uintptr_t addr, uint32_t site,
                                                    const uint64_t *record, unsigned n)
{
    pf_cell_update_resolve_id(t, v, site);
    uint64_t freed = find_free(record, n);
    t->shadow.reported_free = freed;
    for (unsigned i = 0; i < n; i++) {
        uint64_t s = record[i];
        if (!pf_access_races(t->order.clock, s, v->a) || (i && s == record[i - 1]))
            continue; /* a duplicate is reported once */
        if (freed && pf_access_sid(s) == PF_SID_FREED) {
            if (s & PF_BIT_A)
                continue;
            if (pf_access_races(t->order.clock, freed, v->a))
                s = freed;
            else if (pf_rt.heap_bypassed)
                continue;
        }
        for (uint64_t both = v->a & s & PF_MASK_ALL; both;) {
            uint64_t then = narrow_to_byte(pf_cell_of(addr), s,
                                           (unsigned)__builtin_ctzll(both >> PF_MASK_SHIFT));
            struct race_report r = {t, addr & ~(uintptr_t)7, v->a, then};
            pf_call_saved(report_saved, &r);
            both &= ~then;
        }
    }
}

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
