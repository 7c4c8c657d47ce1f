/*
 * refresh_in_place.c - see refresh_in_place.h.
 *
 * A plain read does more than refresh its own record in three cases: the spill is small, the read
 * also replaces the next few records, or it has no record to refresh. Then it removes all records
 * that it replaces. The spill shrinks, and perhaps the words of the cell are enough again; they are
 * faster to search. If five records or fewer would remain (six with cell[0], as many as there are
 * words), nothing is done here: the slow path turns the spill into words. (If its record were
 * refreshed first, the slow path would find the access covered, and the spill would stay for ever.)
 */
#include "refresh_in_place.h"
#include "cell.h"
#include "fast_update.h"

#define SMALL 16u /* spills of up to this many records are searched linearly */

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
    /* if so, it was the spill of this cell all the time */
    return at < end && pf_word_get(&cell[1]) == ref;
}

/* Refreshes *word if it is a record of the same slot that `mine` may replace. Returns true if the
 * update is complete. */
static bool refresh(const uint32_t *clock, uint64_t *word, uint64_t mine)
{
    uint64_t s = pf_word_get(word);
    if ((s ^ mine) & PF_BITS_SID)
        return false;
    if (pf_access_covers(s, mine))
        return true;
    /* an atomic access replaces only a record that differs in nothing but epoch and site; a plain
     * one, what the rule allows */
    if (mine & PF_BIT_A ? ((s ^ mine) & ~(PF_BITS_CLK | PF_BITS_ID))
                        : !pf_access_replaceable(clock, s, mine))
        return false;
    pf_word_put(word, mine);
    __pf_tls.thread->order.dirty = true;
    return true;
}

/* Searches a large spill for the thread's record, from the preferred index on, and refreshes it. */
static bool refresh_at(const uint32_t *clock, struct pf_access_set *set, uint64_t mine)
{
    unsigned n = set->n, home = pf_spill_index(n, pf_access_sid(mine)), at = home;
    while (!refresh(clock, &set->record[at], mine)) {
        at = at + 1 < n ? at + 1 : 0;
        if (at == home)
            return false;
    }
    uint64_t other = set->record[home];
    /* move it to its preferred index */
    if (at != home && pf_spill_index(n, pf_access_sid(other)) != home) {
        pf_word_put(&set->record[home], set->record[at]);
        pf_word_put(&set->record[at], other);
    }
    return true;
}

/* The plain read `mine` replaces all records that it may. Returns false, with nothing done, if
 * there is no room, or if so few records would remain that words are enough; the slow path then
 * stores them as words. */
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
        __pf_tls.thread->order.dirty = true;
    }
    set->kinds |= PF_ACCESS_KIND(mine);
    __atomic_store_n(&set->n, (uint16_t)m, __ATOMIC_RELEASE);
    return true;
}

#define NEIGHBOURS 4 /* records that are looked at */

/* True if the plain read `mine` replaces the next few records, too. Then it probably replaces most
 * of them, and the spill should shrink. */
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
        !(set->kinds & (atomic ? PF_ACCESS_KINDS_PLAIN : PF_ACCESS_KINDS_WRITE)) &&
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
