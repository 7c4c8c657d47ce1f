/*
 * fast_update.h - the quick way into a cell, tried before pf_cell_access.
 */
#ifndef PF_RT_TOUCH_H
#define PF_RT_TOUCH_H

#include "access_set.h"
#include "cell.h"
#include "refresh_in_place.h"
#include "rt.h"
#include "site_per_byte.h"
#include "sys.h"

static inline bool pf_access_ordered(const uint32_t *clock, uint64_t s)
{
    return pf_access_clk(s) <= clock[pf_access_sid(s)]; /* 0 is, a reference is not */
}

/* Does every thread know s that there is or will be? Then it can race with nothing. True of 0, not
 * of a reference. */
static inline bool pf_access_globally_ordered(uint64_t s)
{
    return pf_access_clk(s) <=
           __atomic_load_n(&pf_rt.globally_ordered[pf_access_sid(s)], __ATOMIC_RELAXED);
}

/* The cell of an access has no room in its two words: often for what everybody knows by now. */
static inline void pf_cell_count_overflow(struct pf_thread *t)
{
    if (t->global_order_in-- == 0 && pf_thread_update_global_order) /* some tests have none */
        pf_thread_update_global_order(t);
}

static inline bool pf_access_bytes_within(uint64_t s, uint64_t a)
{
    return !(s & ~a & PF_MASK_ALL);
}
static inline bool pf_access_bytes_disjoint(uint64_t s, uint64_t a)
{
    return !(s & a & PF_MASK_ALL);
}

/* The two as one statement of the cell, if they are of one kind and epoch; 0: they cannot be. */
static inline uint64_t pf_access_merge(uint64_t *cell, uint64_t s, uint64_t mine)
{
    if (!((s ^ mine) << 8))
        return s | mine;
    if ((s ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID))
        return 0;
    if (pf_access_bytes_within(s, mine))
        return mine;
    uint32_t id = pf_site_per_byte_join(__pf_tls.thread, cell, s, mine);
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
static inline bool pf_access_covers(uint64_t s, uint64_t mine)
{
    return !((s ^ mine) & (PF_BITS_SID | PF_BITS_CLK)) && !(mine & ~s & PF_BIT_W) &&
           !(s & ~mine & PF_BIT_A) && pf_access_bytes_within(mine, s);
}

/* Says s1 nothing that s0 does not say? A write stands in both words where it can, so that reads
 * find it too. */
static inline bool pf_access_is_duplicate(uint64_t s0, uint64_t s1)
{
    return !((s0 ^ s1) << 8) && pf_access_bytes_within(s1, s0);
}

/* Can a plain read race with s? Not with a read, nor with what happened before. */
static inline bool pf_access_cannot_race_read(const uint32_t *clock, uint64_t s)
{
    return !(s & PF_BIT_W) || pf_access_ordered(clock, s);
}

/* The same of the bytes of `mine`. */
static inline bool pf_access_cannot_race(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return pf_access_cannot_race_read(clock, s) || pf_access_bytes_disjoint(s, mine);
}

/* May the plain read `mine` take the place of s? */
static inline bool pf_access_replaceable(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return !(s & (PF_BIT_W | PF_BIT_A)) && pf_access_bytes_within(s, mine) &&
           pf_access_ordered(clock, s);
}

/* What of s the plain read `mine` leaves. */
static inline uint64_t pf_access_remainder(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    if ((s & (PF_BIT_W | PF_BIT_A)) || !pf_access_ordered(clock, s))
        return s;
    s &= ~(mine & PF_MASK_ALL);
    return s & PF_MASK_ALL ? s : 0;
}

static inline bool pf_access_same_epoch_kind(uint64_t s, uint64_t mine) /* and of the same kind */
{
    return !((s ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID));
}

/* Puts s among the words n[0..PF_OVERFLOW_WORDS); false if there is no room. */
static inline bool pf_overflow_add(uint64_t *n, uint64_t s)
{
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        if (!n[i]) {
            n[i] = s;
            return true;
        }
    return false;
}

/* The other words of the cell become n; they counted before, and were `was`. */
static inline __attribute__((always_inline)) void
pf_overflow_put(uint64_t *cell, const uint64_t *was, const uint64_t *n)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
        any |= n[i];
        if (n[i] != was[i])
            pf_word_put(&pf_cell_overflow(cell)[i], n[i]);
    }
    pf_cell_overflow_set_state(cell, any);
}

/* Does s say nothing that `by`, of the same slot, does not say too? Who does not know s does not
 * know the later one either. */
static inline bool pf_access_subsumed_by(uint64_t s, uint64_t by)
{
    return !((s ^ by) & PF_BITS_SID) && (s & PF_BITS_CLK) <= (by & PF_BITS_CLK) &&
           !(s & ~by & PF_BIT_W) && !(by & ~s & PF_BIT_A) && pf_access_bytes_within(s, by);
}

/* Is s of epochs that nobody can tell apart (slot.h)? They are t's own. */
static inline bool pf_access_in_span(const struct pf_thread *t, uint64_t s)
{
    return (uint32_t)((s & (PF_BITS_SID | PF_BITS_CLK)) >> PF_CLK_SHIFT) - t->span.from <=
           t->span.more;
}

/* Does s say nothing that the write w does not say too, although it may be later? */
static inline bool pf_access_subsumed_in_span(uint64_t s, uint64_t w)
{
    const struct pf_thread *t = __pf_tls.thread;
    return (w & PF_BIT_W) && !(w & PF_BIT_A) && pf_access_bytes_within(s, w) &&
           pf_access_in_span(t, s) && pf_access_in_span(t, w);
}

/* The read `rest` stands in front of the plain read `mine` of another slot. Where an older one of
 * its own slot stands among the words `mine` takes its place there: threads that read the same in
 * turns leave each other's words, and with them the cache line, alone. Else `rest` moves to a word
 * that is replaced or needless, or an empty one; others like that go. Returns 1 if it moved, 0 if
 * there is no room, -1 if nothing is left to do. */
static inline __attribute__((always_inline)) int
pf_overflow_move(const uint32_t *clock, uint64_t *cell, uint64_t rest, uint64_t mine)
{
    uint64_t *overflow = pf_cell_overflow(cell), *at = NULL, *empty = NULL;
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        if (pf_access_covers(pf_word_get(&overflow[i]), mine))
            return -1;
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
        uint64_t s = pf_word_get(&overflow[i]);
        if (s && !((s ^ mine) & PF_BITS_SID) && pf_access_replaceable(clock, s, mine)) {
            pf_word_put(&overflow[i], mine);
            __pf_tls.thread->dirty = true;
            return -1;
        }
        if (!s)
            empty = &overflow[i];
        else if (pf_access_replaceable(clock, s, mine) || pf_access_subsumed_by(s, rest)) {
            if (at)
                pf_word_put(at, 0);
            at = &overflow[i];
        }
    }
    if (!at && !(at = empty))
        return 0;
    pf_word_put(at, rest);
    return 1;
}

/* Is the plain read `a` covered by what t, the caller, knows of the set? Whoever is in a set in its
 * present epoch was told of by any write to its granules, so there is no need to look at the other
 * word. */
static inline bool pf_read_set_cache_covers(const struct pf_thread *t, uint64_t ref, uint64_t a)
{
    const struct pf_read_set_entry *m = &t->read_set_cache[ref % PF_READ_SET_CACHE_SIZE];
    if (m->ref != ref || !pf_access_covers(m->record, a))
        return false;
    if (m->record >= PF_MASK_ALL)
        __pf_tls.read_set = ref;
    return true;
}

/*
 * The first statement of an empty cell. Threads that begin together often meet here: the page of
 * the cell is not there yet, and all wait for it. So this one is not lost: of two that come at the
 * same time at least one returns false, with nothing done, and finds the other's statement when it
 * looks again.
 */
static inline bool pf_cell_insert_first(uint64_t *cell, uint64_t mine)
{
    uint64_t empty = 0, own = mine;
    unsigned at = !(mine & PF_BIT_W);
    pf_prefault(cell);
    __pf_tls.thread->dirty = true;
    if (!__atomic_compare_exchange_n(&cell[at], &empty, mine, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        return false;
    if (__atomic_load_n(&cell[!at], __ATOMIC_SEQ_CST)) {
        __atomic_compare_exchange_n(&cell[at], &own, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        return false;
    }
    if ((mine & PF_BIT_W) && !(mine & PF_BIT_A))
        pf_word_put(&cell[1], mine); /* reads find it too */
    return true;
}

/* Is it easy to see that the plain read `mine` races with nothing that stands in the cell? */
static inline bool pf_cell_cannot_race(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    return pf_access_cannot_race(clock, s0, mine) && !pf_word_is_ref(s1) &&
           pf_access_cannot_race(clock, s1, mine) && *pf_cell_overflow_state(cell) != 2;
}

/*
 * The usual first touch of a granule in a new epoch: nothing that stands in the cell races with it,
 * and it takes the place of what it replaces, or joins one of its own epoch, or there is room.
 * False, with nothing done, in every other case. `mine` is the access with its id, `clock` that of
 * its thread, the caller.
 */
static inline __attribute__((always_inline)) bool
pf_cell_fast_update_read(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (pf_word_is_ref(s1))
        return pf_read_set_cache_covers(__pf_tls.thread, s1, mine) ||
               pf_spill_covers(cell, s1, mine) || pf_spill_refresh(clock, cell, mine);
    if (!(s0 | s1) && !*pf_cell_overflow_state(cell))
        return pf_cell_insert_first(cell, mine);
    if (!pf_access_cannot_race(clock, s0, mine) || !pf_access_cannot_race(clock, s1, mine))
        return false;
    if (pf_access_covers(s0, mine)) { /* let the next read find that where it looks, if it can */
        if (pf_access_bytes_within(s1, s0) && pf_access_ordered(clock, s1))
            pf_word_put(&cell[1], s0);
        return true;
    }
    if (pf_access_is_duplicate(s0, s1))
        s1 = 0;
    uint64_t one = s1 ? pf_access_merge(cell, s1, mine) : 0;
    uint64_t rest = one ? 0 : pf_access_remainder(clock, s1, mine);
    if (pf_access_globally_ordered(rest) || pf_access_subsumed_in_span(rest, s0))
        rest = 0;
    if (rest && pf_access_same_epoch_kind(s1, mine))
        return false; /* no more pairs of ids */
    unsigned used = *pf_cell_overflow_state(cell);
    if (rest && !used && !(rest & (PF_BIT_W | PF_BIT_A)) && s0 &&
        pf_access_replaceable(clock, s0, mine) && !((s0 ^ mine) & PF_BITS_SID)) {
        /* Two readers in turns, each in a word of its own. */
        pf_word_put(&cell[0], mine);
        __pf_tls.thread->dirty = true;
        return true;
    }
    int swapped =
        used == 1 && rest && !(rest & PF_BIT_W) ? pf_overflow_move(clock, cell, rest, mine) : !rest;
    if (swapped < 0)
        return true;
    if (!used && rest) {
        /* Two threads that read in turns are often the first of many: the caller knows. */
        if (!(rest & (PF_BIT_W | PF_BIT_A)) && !pf_access_ordered(clock, rest)) {
            if (pf_read_set_wanted(__pf_tls.thread))
                return false;
            __pf_tls.thread->set_tries++;
        }
        if (pf_access_globally_ordered(s0))
            pf_word_put(&cell[0], rest);
        else {
            pf_cell_overflow_init(cell, rest);
            pf_cell_count_overflow(__pf_tls.thread);
        }
    } else if (used == 2 || !swapped) {
        uint64_t was[PF_OVERFLOW_WORDS], n[PF_OVERFLOW_WORDS];
        for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
            n[i] = was[i] = pf_word_get(&pf_cell_overflow(cell)[i]);
            if (!pf_access_cannot_race(clock, n[i], mine))
                return false;
            uint64_t both = !one && pf_access_same_epoch_kind(n[i], mine)
                                ? pf_access_merge(cell, n[i], mine)
                                : 0;
            if (both)
                one = both;
            n[i] = both || pf_access_subsumed_by(n[i], rest)
                       ? 0
                       : pf_access_remainder(clock, n[i], mine);
            if (pf_access_globally_ordered(n[i]) || pf_access_subsumed_in_span(n[i], s0))
                n[i] = 0;
        }
        if (rest && !pf_overflow_add(n, rest))
            return false;
        pf_overflow_put(cell, was, n);
        pf_cell_count_overflow(__pf_tls.thread);
    }
    pf_word_put(&cell[1], one ? one : mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool
pf_cell_fast_update_write(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]), mask = mine & PF_MASK_ALL;
    if (!(s0 | s1) && !*pf_cell_overflow_state(cell))
        return pf_cell_insert_first(cell, mine);
    if (pf_word_is_ref(s1) && pf_read_set_replaceable(clock, cell, s1, mine))
        s1 = 0;
    if (!pf_access_ordered(clock, s0) || !pf_access_ordered(clock, s1))
        return false;
    uint64_t one = s0 ? pf_access_merge(cell, s0, mine) : 0;
    if (one) { /* goes on */
        if (*pf_cell_overflow_state(cell)) {
            uint64_t was[PF_OVERFLOW_WORDS], n[PF_OVERFLOW_WORDS];
            for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
                n[i] = was[i] = pf_word_get(&pf_cell_overflow(cell)[i]);
                if (!pf_access_ordered(clock, n[i]))
                    return false;
                if (pf_access_bytes_within(n[i], one))
                    n[i] = 0;
            }
            pf_overflow_put(cell, was, n);
        }
        if (s1 == s0 || pf_access_bytes_within(s1, one))
            pf_word_put(&cell[1], one);
        pf_word_put(&cell[0], one);
        return true;
    }
    uint64_t rest =
        pf_access_bytes_within(s0, mine) || pf_access_globally_ordered(s0) ? 0 : s0 & ~mask;
    if (pf_access_is_duplicate(s0, s1) || pf_access_bytes_within(s1, mine) ||
        pf_access_globally_ordered(s1))
        s1 = 0;
    else if (!pf_access_same_epoch_kind(
                 s1, mine ^ PF_BIT_W)) /* its own read stays: it will read that again */
        s1 &= ~mask;
    if (rest && pf_access_same_epoch_kind(s0, mine))
        return false; /* no more pairs of ids */
    if (rest && !s1) {
        s1 = rest;
        rest = 0;
    }
    if (__builtin_expect(*pf_cell_overflow_state(cell), 0)) {
        uint64_t was[PF_OVERFLOW_WORDS], n[PF_OVERFLOW_WORDS];
        for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
            n[i] = was[i] = pf_word_get(&pf_cell_overflow(cell)[i]);
            if (!pf_access_ordered(clock, n[i]))
                return false;
            n[i] = pf_access_bytes_within(n[i], mine) || pf_access_globally_ordered(n[i])
                       ? 0
                       : n[i] & ~mask;
        }
        if (rest && !pf_overflow_add(n, rest))
            return false;
        pf_overflow_put(cell, was, n);
        pf_cell_count_overflow(__pf_tls.thread);
    } else if (rest) {
        pf_cell_overflow_init(cell, rest);
        pf_cell_count_overflow(__pf_tls.thread);
    }
    pf_word_put(&cell[0], mine);
    pf_word_put(&cell[1], s1 ? s1 : mine); /* a double, so that reads find it too */
    __pf_tls.thread->dirty = true;
    return true;
}

/*
 * What a thread does to an atomic is mostly what it did before: its last statement of this kind and
 * of these bytes still stands in the cell, and what stands beside it is atomic too, or known. Then
 * it is enough to renew that one. The others are left alone, even those that could go: whoever made
 * them will look for them. Returns that word, or NULL if it is not so, as where the cell has a
 * record.
 */
static inline __attribute__((always_inline)) bool
pf_word_check_own_atomic(const uint32_t *clock, uint64_t *word, uint64_t mine, uint64_t **own)
{
    uint64_t s = pf_word_get(word);
    if (!((s ^ mine) & ~(PF_BITS_CLK | PF_BITS_ID))) {
        *own = word;
        return !((s ^ mine) & PF_BITS_CLK); /* of this epoch: the others were looked at then */
    }
    if (__builtin_expect(!(s & PF_BIT_A), 0) && s && !pf_access_ordered(clock, s)) {
        *own = NULL;
        return true;
    }
    return false;
}

static inline __attribute__((always_inline)) uint64_t *
pf_cell_find_own_atomic(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t *own = NULL;
    if (pf_word_check_own_atomic(clock, &cell[0], mine, &own) ||
        pf_word_check_own_atomic(clock, &cell[1], mine, &own) || !*pf_cell_overflow_state(cell))
        return own;
    uint64_t *overflow = pf_cell_overflow(cell);
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        if (pf_word_check_own_atomic(clock, &overflow[i], mine, &own))
            break;
    return own;
}

/* Does the atomic access `mine` replace the atomic s? */
static inline bool pf_access_replaceable_atomic(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return (s & PF_BIT_A) && !(s & ~mine & PF_BIT_W) && pf_access_bytes_within(s, mine) &&
           pf_access_ordered(clock, s);
}

/* Where an atomic access may stand, as far as the words of its cell were looked at. */
struct pf_atomic_scan {
    uint64_t *same, *old, *empty; /* one of its kind and epoch; one that it replaces; nothing */
    uint64_t *own; /* another one of its slot */
    bool several; /* it replaces more than one */
};
enum pf_atomic_scan_result { PF_SCAN_CONTINUE, PF_SCAN_COVERED, PF_SCAN_CONFLICT };

static inline __attribute__((always_inline)) enum pf_atomic_scan_result
pf_atomic_scan_word(struct pf_atomic_scan *w, const uint32_t *clock, uint64_t *word, uint64_t mine)
{
    uint64_t s = pf_word_get(word);
    if (pf_access_globally_ordered(s)) {
        if (!w->empty)
            w->empty = word;
        return PF_SCAN_CONTINUE;
    }
    if (!((s ^ mine) & (PF_BITS_SID | PF_BITS_CLK))) {
        if (!(mine & ~s & PF_BIT_W) && pf_access_bytes_within(mine, s))
            return PF_SCAN_COVERED;
        if (pf_access_same_epoch_kind(s, mine)) {
            w->same = word;
            return PF_SCAN_CONTINUE;
        }
    }
    if (pf_access_replaceable_atomic(clock, s, mine)) {
        w->several |= w->old != NULL;
        w->old = word;
    } else if (!((s ^ mine) & PF_BITS_SID)) {
        if (w->own && pf_access_subsumed_by(s, pf_word_get(w->own)))
            w->empty = word;
        else if (w->own && pf_access_subsumed_by(pf_word_get(w->own), s))
            w->empty = w->own;
        if (w->empty != word)
            w->own = word;
    } else if (!(s & PF_BIT_A) && !pf_access_bytes_disjoint(s, mine) &&
               !pf_access_ordered(clock, s)) {
        return PF_SCAN_CONFLICT;
    }
    return PF_SCAN_CONTINUE;
}

/* The same for an atomic access: it is covered, or joins one of its epoch, or takes the place of
 * older atomic ones, or an empty one; the words that are not known are atomic too. */
static inline __attribute__((always_inline)) bool
pf_cell_fast_update_atomic(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    struct pf_atomic_scan scan = {0};
    uint64_t *overflow = *pf_cell_overflow_state(cell) ? pf_cell_overflow(cell) : NULL;
    enum pf_atomic_scan_result result;
    if (pf_word_is_ref(pf_word_get(&cell[1])) || !(pf_word_get(&cell[0]) | pf_word_get(&cell[1])))
        return false;
    if ((result = pf_atomic_scan_word(&scan, clock, &cell[0], mine)) ||
        (result = pf_atomic_scan_word(&scan, clock, &cell[1], mine)))
        return result == PF_SCAN_COVERED;
    for (unsigned i = 0; overflow && i < PF_OVERFLOW_WORDS; i++)
        if ((result = pf_atomic_scan_word(&scan, clock, &overflow[i], mine)))
            return result == PF_SCAN_COVERED;
    /* Statements of other bytes stay apart where there is room, to be found again one by one. */
    uint64_t one = 0, *at = scan.old ? scan.old : scan.empty;
    if (!at && scan.same && (one = pf_access_merge(cell, pf_word_get(scan.same), mine)))
        at = scan.same;
    if (!at)
        return false;
    if (scan.several)
        for (unsigned i = 0; i < (overflow ? 2 + PF_OVERFLOW_WORDS : 2); i++) {
            uint64_t *word = i < 2 ? &cell[i] : &overflow[i - 2];
            if (word != at && pf_access_replaceable_atomic(clock, pf_word_get(word), mine))
                pf_word_put(word, 0);
        }
    pf_word_put(at, one ? one : mine);
    if (at != &cell[0] && at != &cell[1] && (mine & PF_BIT_W))
        pf_cell_overflow_set_state(cell, mine);
    __pf_tls.thread->dirty = true;
    return true;
}

/* The plainest cases of pf_cell_fast_update, for a cell whose words s0 and s1 are all it has;
 * `write` is constant. As check_entry.S does it. */
static inline __attribute__((always_inline)) bool
pf_cell_fast_update_simple(const uint32_t *clock, uint64_t *cell, uint64_t s0, uint64_t s1,
                           uint64_t mine, bool write)
{
    if (!(write ? pf_access_ordered(clock, s0) : pf_access_cannot_race_read(clock, s0)))
        return false;
    if (__builtin_expect(!(s0 | s1), 0))
        return pf_cell_insert_first(cell, mine);
    if (write) {
        if (!pf_access_ordered(clock, s1))
            return false;
        if ((s0 ^ mine) << 8 == 0)
            mine |= s0;
        else if (!pf_access_bytes_within(s0, mine))
            return false;
        pf_word_put(&cell[0], mine);
        s1 &= ~(mine & PF_MASK_ALL); /* what it leaves of the other one, or itself again */
        mine = s1 & PF_MASK_ALL ? s1 : mine;
    } else {
        if ((s1 ^ mine) << 8 == 0)
            mine |= s1;
        else if (s1 != s0 && !pf_access_replaceable(clock, s1, mine) &&
                 (pf_access_same_epoch_kind(s1, mine) || !pf_access_subsumed_in_span(s1, s0)))
            return false;
    }
    pf_word_put(&cell[1], mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool pf_cell_fast_update(const uint32_t *clock,
                                                                      uint64_t *cell, uint64_t mine)
{
    return mine & PF_BIT_W ? pf_cell_fast_update_write(clock, cell, mine)
                           : pf_cell_fast_update_read(clock, cell, mine);
}

#endif
