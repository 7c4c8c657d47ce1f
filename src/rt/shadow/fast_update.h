/*
 * fast_update.h - the cell rule (cell.h) for the common states of a cell; tried before
 * pf_cell_access.
 *
 * Model:   the usual first access to a granule in a new epoch: it races with no record in the cell,
 *          and it replaces records, or merges with one of its own epoch, or there is room for it.
 *          The functions return false, with nothing done, in every other case.
 * Threads: the caller is the thread that makes the access. Words are read and written atomically;
 *          an update can be lost to another one that overlaps it in time. Not for strict mode.
 *
 * `mine` is the access record of the current access, with its id; `clock` is the clock of its
 * thread; `s`, s0 and s1 are words of the cell. front_update_macros.def and fast_update_macros.def,
 * which check_entry.S uses, have the simplest cases in assembler.
 */
#ifndef PF_RT_FAST_UPDATE_H
#define PF_RT_FAST_UPDATE_H

#include "access_rule.h"
#include "access_set.h"
#include "global_order.h"
#include "refresh_in_place.h"
#include "sys.h"

static inline uint64_t pf_word_get(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline void pf_word_put(uint64_t *p, uint64_t s)
{
    __atomic_store_n(p, s, __ATOMIC_RELAXED);
}

/* Called when a record does not fit into the two words of a cell. Often records that are globally
 * ordered by now take up the room. So from time to time this recomputes which epochs are globally
 * ordered; later updates then drop such records. */
static inline void pf_cell_count_overflow(struct pf_thread *t)
{
    if (t->order.global_order_in-- == 0)
        pf_thread_update_global_order(t);
}

/* Stores s in a free word of n[0..PF_OVERFLOW_WORDS); false if there is none. */
static inline bool pf_overflow_add(uint64_t *n, uint64_t s)
{
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        if (!n[i]) {
            n[i] = s;
            return true;
        }
    return false;
}

/* Makes room in n[0..PF_OVERFLOW_WORDS), which is full: unites plain records that differ only in
 * bytes, site and epoch, were made under the same locks, and whose epochs are in the span of the
 * calling thread. Returns true if there is room now. Preserves all registers. */
__attribute__((preserve_most)) bool pf_overflow_merge_span(uint64_t *cell, uint64_t *n);

/* As pf_overflow_add, but makes room first if necessary. */
static inline bool pf_overflow_add_merged(uint64_t *cell, uint64_t *n, uint64_t s)
{
    return pf_overflow_add(n, s) || (pf_overflow_merge_span(cell, n) && pf_overflow_add(n, s));
}

/* Changes the overflow words of the cell from `was` to n. They are in use already. */
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

/* Results of pf_overflow_move. */
enum pf_move_result {
    PF_MOVE_NO_ROOM,
    PF_MOVE_DONE, /* `rest` was moved */
    PF_MOVE_UPDATED, /* the update is complete */
};

/*
 * Makes cell[1] free for the plain read `mine`. `rest` is what remains of the read that is there;
 * the overflow words are in use and hold only reads.
 *
 * If there is an older read of mine's slot among the overflow words, `mine` replaces it there. So
 * threads that read in turns do not write cell[1] each time, and the cache line of the cell stays
 * shared. Otherwise `rest` moves to a word that is replaceable or subsumed, or to an empty one;
 * other replaceable or subsumed words are cleared.
 */
static inline __attribute__((always_inline)) enum pf_move_result
pf_overflow_move(const uint32_t *clock, uint64_t *cell, uint64_t rest, uint64_t mine)
{
    uint64_t *overflow = pf_cell_overflow(cell), *at = NULL, *empty = NULL;
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        if (pf_access_covers(pf_word_get(&overflow[i]), mine))
            return PF_MOVE_UPDATED;
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
        uint64_t s = pf_word_get(&overflow[i]);
        if (s && !((s ^ mine) & PF_BITS_SID) && pf_access_replaceable(clock, s, mine)) {
            pf_word_put(&overflow[i], mine);
            __pf_tls.thread->order.dirty = true;
            return PF_MOVE_UPDATED;
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
        return PF_MOVE_NO_ROOM;
    pf_word_put(at, rest);
    return PF_MOVE_DONE;
}

/* True if the read-set cache of t, the calling thread, shows that the plain read `a` is covered.
 * cell[0] need not be tested: every write of the granule since t's read entered the set was
 * compared with that read. */
static inline bool pf_read_set_cache_covers(const struct pf_thread *t, uint64_t ref, uint64_t a)
{
    const struct pf_read_set_entry *m = &t->shadow.read_set_cache[ref % PF_READ_SET_CACHE_SIZE];
    if (m->ref != ref || !pf_access_covers(m->record, a))
        return false;
    if (m->record >= PF_MASK_ALL) /* of all 8 bytes: the mask is in the top 8 bits */
        __pf_tls.read_set = ref;
    return true;
}

/* Adds the plain read `mine` to a cell with the words s0 and s1, if the calling thread has recently
 * made the same addition in another cell, for example of an array that several threads read. s1 is
 * a read set, or a read of another thread. Returns the new cell[1], which depends only on the words
 * and on `mine`; or 0, with nothing done. Preserves all other registers. */
__attribute__((preserve_most)) uint64_t pf_cell_repeat_addition(const uint32_t *clock,
                                                                uint64_t *cell, uint64_t s0,
                                                                uint64_t s1, uint64_t mine);

/* True if both words are in use, and cell[1] is a plain read that is not ordered before the thread
 * with this clock. A plain read of this thread then makes a read set of the two reads (insert() in
 * cell.c). If the thread has made the same set before, pf_cell_repeat_addition finds it. */
static inline bool pf_cell_may_repeat_pair(const uint32_t *clock, uint64_t s0, uint64_t s1)
{
    return s0 && s1 && pf_access_is_plain_read(s1) && !pf_access_ordered(clock, s1);
}

/* Stores the first record of an empty cell. Threads that start together often meet here, while they
 * all wait for the page of the cell. So this store is never lost: of two concurrent calls at least
 * one returns false, with nothing done, and sees the other's record when it tries again. */
static inline bool pf_cell_insert_first(uint64_t *cell, uint64_t mine)
{
    uint64_t empty = 0, own = mine;
    unsigned at = !(mine & PF_BIT_W);
    pf_prefault(cell);
    __pf_tls.thread->order.dirty = true;
    if (!__atomic_compare_exchange_n(&cell[at], &empty, mine, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        return false;
    if (__atomic_load_n(&cell[!at], __ATOMIC_SEQ_CST)) {
        __atomic_compare_exchange_n(&cell[at], &own, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        return false;
    }
    /* reads look for a plain write there, and check-only threads (rt.h) for all records */
    if (((mine & PF_BIT_W) && !(mine & PF_BIT_A)) || pf_rt.check_only_threads)
        pf_word_put(&cell[!at], mine);
    return true;
}

/* True if a quick test shows that the plain read `mine` races with nothing in the cell. */
static inline bool pf_cell_cannot_race(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    return pf_access_cannot_race(clock, s0, mine) && !pf_word_is_ref(s1) &&
           pf_access_cannot_race(clock, s1, mine) &&
           *pf_cell_overflow_state(cell) != PF_OVERFLOW_WRITES;
}

/* Updates the overflow words for the plain read `mine`, which goes to cell[1]: moves `rest`, what
 * remains of the read there, to them, and unites `mine` with a record of its epoch in *merged,
 * unless *merged is such a record already. False, with nothing done: the read may race, or there is
 * no room. */
static inline __attribute__((always_inline)) bool
pf_overflow_update_read(const uint32_t *clock, uint64_t *cell, uint64_t s0, uint64_t rest,
                        uint64_t mine, uint64_t *merged)
{
    uint64_t was[PF_OVERFLOW_WORDS], n[PF_OVERFLOW_WORDS];
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
        n[i] = was[i] = pf_word_get(&pf_cell_overflow(cell)[i]);
        if (!pf_access_cannot_race(clock, n[i], mine))
            return false;
        uint64_t both = !*merged && pf_access_same_epoch_kind(n[i], mine)
                            ? pf_access_merge(cell, n[i], mine)
                            : 0;
        if (both)
            *merged = both;
        n[i] =
            both || pf_access_subsumed_by(n[i], rest) ? 0 : pf_access_remainder(clock, n[i], mine);
        if (pf_access_globally_ordered(n[i]) || pf_access_subsumed_in_span(n[i], s0))
            n[i] = 0;
        if (pf_access_subsumed_in_span(rest, n[i]))
            rest = 0;
    }
    if (rest && !pf_overflow_add_merged(cell, n, rest))
        return false;
    pf_overflow_put(cell, was, n);
    pf_cell_count_overflow(__pf_tls.thread);
    return true;
}

/* The fast update for a plain read. */
static inline __attribute__((always_inline)) bool
pf_cell_fast_update_read(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    PF_ASSUME_PLAIN(mine, false);
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (pf_word_is_ref(s1))
        return pf_read_set_cache_covers(__pf_tls.thread, s1, mine) ||
               pf_cell_repeat_addition(clock, cell, s0, s1, mine) ||
               pf_spill_covers(cell, s1, mine) || pf_spill_refresh(clock, cell, mine);
    if (!(s0 | s1) && !*pf_cell_overflow_state(cell))
        return pf_cell_insert_first(cell, mine);
    if (pf_cell_may_repeat_pair(clock, s0, s1) && !*pf_cell_overflow_state(cell) &&
        pf_cell_repeat_addition(clock, cell, s0, s1, mine))
        return true;
    if (!pf_access_cannot_race(clock, s0, mine) || !pf_access_cannot_race(clock, s1, mine))
        return false;
    if (pf_access_covers(s0, mine)) { /* put it where the next read looks, if possible */
        if (pf_access_replaceable(clock, s1, s0))
            pf_word_put(&cell[1], s0);
        return true;
    }
    if (pf_access_is_duplicate(s0, s1))
        s1 = 0;
    uint64_t merged = s1 ? pf_access_merge(cell, s1, mine) : 0;
    uint64_t rest = merged ? 0 : pf_access_remainder(clock, s1, mine);
    if (pf_access_globally_ordered(rest) || pf_access_subsumed_in_span(rest, s0))
        rest = 0;
    if (rest && pf_access_same_epoch_kind(s1, mine))
        return false; /* the two sites cannot share a record */
    unsigned overflow_state = *pf_cell_overflow_state(cell);
    if (rest && !overflow_state && !(rest & (PF_BIT_W | PF_BIT_A)) && s0 &&
        pf_access_replaceable(clock, s0, mine) && !((s0 ^ mine) & PF_BITS_SID)) {
        /* Two readers in turns, each has its own word. */
        pf_word_put(&cell[0], mine);
        __pf_tls.thread->order.dirty = true;
        return true;
    }
    enum pf_move_result moved = overflow_state == PF_OVERFLOW_READS && rest && !(rest & PF_BIT_W)
                                    ? pf_overflow_move(clock, cell, rest, mine)
                                : rest ? PF_MOVE_NO_ROOM
                                       : PF_MOVE_DONE;
    if (moved == PF_MOVE_UPDATED)
        return true;
    if (!overflow_state && rest) {
        /* Two threads that read in turns are often the first of many: the slow path decides about a
         * read set. */
        if (!(rest & (PF_BIT_W | PF_BIT_A)) && !pf_access_ordered(clock, rest)) {
            if (pf_read_set_wanted(__pf_tls.thread))
                return false;
            __pf_tls.thread->shadow.set_tries++;
        }
        if (pf_access_globally_ordered(s0))
            pf_word_put(&cell[0], rest);
        else {
            pf_cell_overflow_init(cell, rest);
            pf_cell_count_overflow(__pf_tls.thread);
        }
    } else if (overflow_state == PF_OVERFLOW_WRITES || moved == PF_MOVE_NO_ROOM) {
        if (!pf_overflow_update_read(clock, cell, s0, rest, mine, &merged))
            return false;
    }
    pf_word_put(&cell[1], merged ? merged : mine);
    __pf_tls.thread->order.dirty = true;
    return true;
}

/* The fast update for a plain write. */
static inline __attribute__((always_inline)) bool
pf_cell_fast_update_write(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    PF_ASSUME_PLAIN(mine, true);
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (!(s0 | s1) && !*pf_cell_overflow_state(cell))
        return pf_cell_insert_first(cell, mine);
    if (pf_word_is_ref(s1) && pf_read_set_replaceable(clock, cell, s1, mine))
        s1 = 0;
    if (!pf_access_ordered(clock, s0) || !pf_access_ordered(clock, s1))
        return false;
    uint64_t merged = s0 ? pf_access_merge(cell, s0, mine) : 0;
    if (merged) { /* a write of this epoch gets more bytes */
        if (*pf_cell_overflow_state(cell)) {
            uint64_t was[PF_OVERFLOW_WORDS], n[PF_OVERFLOW_WORDS];
            for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++) {
                n[i] = was[i] = pf_word_get(&pf_cell_overflow(cell)[i]);
                if (!pf_access_ordered(clock, n[i]))
                    return false;
                n[i] = pf_access_replace(n[i], merged);
            }
            pf_overflow_put(cell, was, n);
        }
        s1 = pf_access_replace(s1, merged);
        pf_word_put(&cell[0], merged);
        pf_word_put(&cell[1], s1 ? s1 : merged);
        return true;
    }
    uint64_t rest = pf_access_globally_ordered(s0) ? 0 : pf_access_replace(s0, mine);
    s1 = pf_access_is_duplicate(s0, s1) || pf_access_globally_ordered(s1)
             ? 0
             : pf_access_replace(s1, mine);
    if (rest && pf_access_same_epoch_kind(s0, mine))
        return false; /* the two sites cannot share a record */
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
            n[i] = pf_access_globally_ordered(n[i]) ? 0 : pf_access_replace(n[i], mine);
        }
        if (rest && !pf_overflow_add_merged(cell, n, rest))
            return false;
        pf_overflow_put(cell, was, n);
        pf_cell_count_overflow(__pf_tls.thread);
    } else if (rest) {
        pf_cell_overflow_init(cell, rest);
        pf_cell_count_overflow(__pf_tls.thread);
    }
    pf_word_put(&cell[0], mine);
    pf_word_put(&cell[1], s1 ? s1 : mine); /* the duplicate is for reads */
    __pf_tls.thread->order.dirty = true;
    return true;
}

/*
 * A thread mostly repeats its accesses to an atomic variable. Then its previous record of the same
 * kind and bytes is still in the cell, and the other records are atomic or ordered; it is enough to
 * refresh the previous record in place. Other records are left alone, even replaceable ones,
 * because their threads will look for them. pf_cell_find_own_atomic returns the word with that
 * record, or NULL if the condition does not hold, or if the cell has a set. If the record is of
 * this epoch, the words after it are not tested: they were when the record was stored.
 *
 * pf_word_check_own_atomic tests one word; true: no further word need be tested.
 */
static inline __attribute__((always_inline)) bool
pf_word_check_own_atomic(const uint32_t *clock, uint64_t *word, uint64_t mine, uint64_t **own)
{
    uint64_t s = pf_word_get(word);
    if (!((s ^ mine) & ~(PF_BITS_CLK | PF_BITS_ID))) {
        *own = word;
        return !((s ^ mine) & PF_BITS_CLK); /* of this epoch: the other words have been compared */
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

/* True if the atomic access `mine` may replace the atomic record s. */
static inline bool pf_access_replaceable_atomic(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return (s & PF_BIT_A) && !(s & ~mine & PF_BIT_W) && pf_access_bytes_within(s, mine) &&
           pf_access_ordered(clock, s);
}

/* Candidate words for an atomic access, from the words examined so far. */
struct pf_atomic_scan {
    uint64_t *same; /* a record of its kind and epoch */
    uint64_t *old; /* a record that it may replace */
    uint64_t *usable; /* a word that is free, globally ordered or subsumed */
    uint64_t *own; /* a record of its slot that is neither `same` nor `old` */
    bool several; /* it may replace more than one */
};
enum pf_atomic_scan_result { PF_SCAN_CONTINUE, PF_SCAN_COVERED, PF_SCAN_CONFLICT };

/* Examines one word. */
static inline __attribute__((always_inline)) enum pf_atomic_scan_result
pf_atomic_scan_word(struct pf_atomic_scan *w, const uint32_t *clock, uint64_t *word, uint64_t mine)
{
    uint64_t s = pf_word_get(word);
    if (pf_access_globally_ordered(s)) {
        if (!w->usable)
            w->usable = word;
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
            w->usable = word;
        else if (w->own && pf_access_subsumed_by(pf_word_get(w->own), s))
            w->usable = w->own;
        if (w->usable != word)
            w->own = word;
    } else if (!(s & PF_BIT_A) && !pf_access_bytes_disjoint(s, mine) &&
               !pf_access_ordered(clock, s)) {
        return PF_SCAN_CONFLICT;
    }
    return PF_SCAN_CONTINUE;
}

/* The fast update for an atomic access. It is covered, or merges with a record of its epoch, or
 * replaces older atomic records, or uses a free word. Records that overlap it and are not ordered
 * must be atomic, too. */
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
    /* If there is room, records of different bytes are kept separate, so that each can be refreshed
     * in place. */
    uint64_t merged = 0, *at = scan.old ? scan.old : scan.usable;
    if (!at && scan.same && (merged = pf_access_merge(cell, pf_word_get(scan.same), mine)))
        at = scan.same;
    if (!at)
        return false;
    if (scan.several)
        for (unsigned i = 0; i < (overflow ? 2 + PF_OVERFLOW_WORDS : 2); i++) {
            uint64_t *word = i < 2 ? &cell[i] : &overflow[i - 2];
            if (word != at && pf_access_replaceable_atomic(clock, pf_word_get(word), mine))
                pf_word_put(word, i < 2 && pf_rt.check_only_threads ? mine : 0);
        }
    pf_word_put(at, merged ? merged : mine);
    if (at != &cell[0] && at != &cell[1] && (mine & PF_BIT_W))
        pf_cell_overflow_set_state(cell, mine);
    __pf_tls.thread->order.dirty = true;
    return true;
}

/* The simplest cases of pf_cell_fast_update, for a cell whose only words are s0 and s1: the access
 * replaces what is there or merges with it, and the remainder of an older write moves to cell[1].
 * `write` must be a compile-time constant. fast_update_macros.def has the same cases in
 * assembler. */
static inline __attribute__((always_inline)) bool pf_cell_update_front(const uint32_t *clock,
                                                                       uint64_t *cell, uint64_t s0,
                                                                       uint64_t s1, uint64_t mine,
                                                                       bool write)
{
    PF_ASSUME_PLAIN(mine, write);
    if (write ? !pf_access_ordered(clock, s0) : !pf_access_cannot_race_read(clock, s0))
        return false;
    if (__builtin_expect(!(s0 | s1), 0))
        return pf_cell_insert_first(cell, mine);
    if (write && !pf_access_ordered(clock, s1))
        return false;
    uint64_t s = write ? s0 : s1; /* the word that the access goes to */
    if (write && pf_access_bytes_within(s0, mine)) {
        /* replaced */
    } else if (pf_access_equal_but_bytes(s, mine)) {
        mine |= s;
    } else if (!pf_access_bytes_within(s, mine) && pf_access_same_epoch_kind(s, mine)) {
        mine = pf_site_per_byte_merge(cell, s, mine);
        if (!mine)
            return false;
    } else if (write) {
        if (s1 != s0 && pf_access_replace(s1, mine))
            return false;
        s1 = pf_access_replace(s0, mine);
    } else if (s1 != s0 && !pf_access_replaceable(clock, s1, mine) &&
               !pf_access_subsumed_in_span(s1, s0)) {
        return false;
    }
    if (write) {
        pf_word_put(&cell[0], mine);
        s1 = pf_access_replace(s1, mine);
        mine = s1 ? s1 : mine; /* a duplicate, for reads */
    }
    pf_word_put(&cell[1], mine);
    __pf_tls.thread->order.dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool pf_cell_fast_update(const uint32_t *clock,
                                                                      uint64_t *cell, uint64_t mine)
{
    return mine & PF_BIT_W ? pf_cell_fast_update_write(clock, cell, mine)
                           : pf_cell_fast_update_read(clock, cell, mine);
}

#endif
