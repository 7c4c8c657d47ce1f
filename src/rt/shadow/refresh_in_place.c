#include "refresh_in_place.h"
#include "cell.h"
#include "fast_update.h"

#define SMALL 16u /* statements, that are looked at one by one */

PF_PRESERVE_MOST bool pf_spill_covers(const uint64_t *cell, uint64_t ref, uint64_t mine)
{
    const struct pf_access_set *set = pf_access_set_at(ref);
    unsigned n = __atomic_load_n(&set->n, __ATOMIC_ACQUIRE);
    if (set->interned || !n || n > pf_access_set_capacity(set))
        return false;
    unsigned at = n <= SMALL ? 0 : pf_spill_index(n, pf_access_sid(mine));
    unsigned end = n <= SMALL ? n : at + 1;
    while (at < end && !pf_access_covers(__atomic_load_n(&set->record[at], __ATOMIC_ACQUIRE), mine))
        at++;
    return at < end && pf_word_get(&cell[1]) == ref; /* it was that of this cell all the time */
}

/* Renews *word, if it is one of the same slot that `mine` may take the place of; true if there is nothing left to do. */
static bool refresh(const uint32_t *clock, uint64_t *word, uint64_t mine)
{
    uint64_t s = pf_word_get(word);
    if ((s ^ mine) & PF_BITS_SID)
        return false;
    if (pf_access_covers(s, mine))
        return true;
    if (mine & PF_BIT_A ? ((s ^ mine) & ~(PF_BITS_CLK | PF_BITS_ID)) /* those of other bytes stay */
                        : !pf_access_replaceable(clock, s, mine))
        return false;
    pf_word_put(word, mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static bool refresh_at(const uint32_t *clock, struct pf_access_set *set, uint64_t mine)
{
    unsigned n = set->n, place = pf_spill_index(n, pf_access_sid(mine)), at = place;
    while (!refresh(clock, &set->record[at], mine)) {
        at = at + 1 < n ? at + 1 : 0;
        if (at == place)
            return false;
    }
    uint64_t other = set->record[place];
    if (at != place && pf_spill_index(n, pf_access_sid(other)) != place) { /* at once, next time */
        pf_word_put(&set->record[place], set->record[at]);
        pf_word_put(&set->record[at], other);
    }
    return true;
}

/* The plain read `mine` takes the place of all that it replaces. False, with nothing done, if there
 * is no room, or if few would be left, for which words are enough: the caller makes these. */
static bool replace(const uint32_t *clock, struct pf_access_set *set, uint64_t mine)
{
    unsigned m = 0, left = 1;
    if (set->n + 3u > pf_access_set_capacity(set))
        return false;
    for (unsigned i = 0; i < set->n; i++)
        left += !pf_access_replaceable(clock, set->record[i], mine);
    if (left < 2 + PF_OVERFLOW_WORDS)
        return false;
    bool covered = false;
    for (unsigned i = 0; i < set->n; i++) {
        uint64_t s = set->record[i];
        bool covers = pf_access_covers(s, mine);
        covered |= covers;
        if (covers || !pf_access_replaceable(clock, s, mine))
            pf_word_put(&set->record[m++], s);
    }
    if (!covered) {
        pf_word_put(&set->record[m++], mine);
        __pf_tls.thread->dirty = true;
    }
    set->kinds |= PF_KIND(mine);
    __atomic_store_n(&set->n, (uint16_t)m, __ATOMIC_RELEASE);
    return true;
}

#define NEIGHBOURS 4

/* Does the plain read `mine` replace the next ones too? Then most of them, and the record becomes smaller. */
static bool replaces_neighbours(const uint32_t *clock, const struct pf_access_set *set,
                                uint64_t mine)
{
    unsigned at = pf_spill_index(set->n, pf_access_sid(mine));
    for (unsigned i = 0; i < NEIGHBOURS; i++) {
        at = at + 1 < set->n ? at + 1 : 0;
        if (!pf_access_replaceable(clock, set->record[at], mine))
            return false;
    }
    return true;
}

PF_PRESERVE_MOST bool pf_spill_refresh(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    bool done = false, atomic = mine & PF_BIT_A;
    struct pf_spin *stripe = pf_cell_stripe(cell);
    pf_spin_lock(stripe);
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    struct pf_access_set *set = pf_word_is_ref(s1) ? pf_access_set_at(s1) : NULL;
    if (set && !set->interned && set->n &&
        !(set->kinds & (atomic ? PF_KINDS_WITH_PLAIN : PF_KINDS_WITH_WRITE)) &&
        (atomic ? (s0 & PF_BIT_A) || pf_access_ordered(clock, s0)
                : pf_access_cannot_race(clock, s0, mine))) {
        if (refresh(clock, &cell[0], mine))
            done = true;
        else if (atomic || (set->n > SMALL && !replaces_neighbours(clock, set, mine)))
            done = refresh_at(clock, set, mine);
        if (!done && !atomic)
            done = replace(clock, set, mine);
    }
    pf_spin_unlock(stripe);
    return done;
}
