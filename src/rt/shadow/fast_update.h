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

static inline bool pf_stmt_known(const uint32_t *clock, uint64_t s)
{
    return pf_stmt_clk(s) <= clock[pf_stmt_sid(s)]; /* 0 is, a reference is not */
}

/* Does every thread know s that there is or will be? Then it can race with nothing. True of 0, not of a
 * reference. */
static inline bool pf_stmt_settled(uint64_t s)
{
    return pf_stmt_clk(s) <= __atomic_load_n(&pf_rt.settled[pf_stmt_sid(s)], __ATOMIC_RELAXED);
}

/* The cell of an access has no room in its two words: often for what everybody knows by now. */
static inline void pf_cell_crowded(struct pf_thread *t)
{
    if (t->settle_in-- == 0 && pf_thread_settle) /* some tests have none */
        pf_thread_settle(t);
}

static inline bool pf_stmt_inside(uint64_t s, uint64_t a) { return !(s & ~a & PF_MASK_ALL); }
static inline bool pf_stmt_apart(uint64_t s, uint64_t a) { return !(s & a & PF_MASK_ALL); }

/* The two as one statement of the cell, if they are of one kind and epoch; 0: they cannot be. */
static inline uint64_t pf_stmt_join(uint64_t *cell, uint64_t s, uint64_t mine)
{
    if (!((s ^ mine) << 8))
        return s | mine;
    if ((s ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID))
        return 0;
    if (pf_stmt_inside(s, mine))
        return mine;
    uint32_t id = pf_places_join(__pf_tls.thread, cell, s, mine);
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
static inline bool pf_stmt_covers(uint64_t s, uint64_t mine)
{
    return !((s ^ mine) & (PF_BITS_SID | PF_BITS_CLK)) && !(mine & ~s & PF_BIT_W) &&
           !(s & ~mine & PF_BIT_A) && pf_stmt_inside(mine, s);
}

/* Says s1 nothing that s0 does not say? A write stands in both words where it can, so that reads
 * find it too. */
static inline bool pf_stmt_double(uint64_t s0, uint64_t s1)
{
    return !((s0 ^ s1) << 8) && pf_stmt_inside(s1, s0);
}

/* Can a plain read race with s? Not with a read, nor with what happened before. */
static inline bool pf_stmt_calm(const uint32_t *clock, uint64_t s)
{
    return !(s & PF_BIT_W) || pf_stmt_known(clock, s);
}

/* The same of the bytes of `mine`. */
static inline bool pf_stmt_harmless(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return pf_stmt_calm(clock, s) || pf_stmt_apart(s, mine);
}

/* May the plain read `mine` take the place of s? */
static inline bool pf_stmt_yields(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return !(s & (PF_BIT_W | PF_BIT_A)) && pf_stmt_inside(s, mine) && pf_stmt_known(clock, s);
}

/* What of s the plain read `mine` leaves. */
static inline uint64_t pf_stmt_cut(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    if ((s & (PF_BIT_W | PF_BIT_A)) || !pf_stmt_known(clock, s))
        return s;
    s &= ~(mine & PF_MASK_ALL);
    return s & PF_MASK_ALL ? s : 0;
}

static inline bool pf_stmt_same_epoch(uint64_t s, uint64_t mine) /* and of the same kind */
{
    return !((s ^ mine) & ~(PF_MASK_ALL | PF_BITS_ID));
}

/* Puts s among the words n[0..PF_MORE_WORDS); false if there is no room. */
static inline bool pf_words_add(uint64_t *n, uint64_t s)
{
    for (unsigned i = 0; i < PF_MORE_WORDS; i++)
        if (!n[i]) {
            n[i] = s;
            return true;
        }
    return false;
}

/* The other words of the cell become n; they counted before, and were `was`. */
static inline __attribute__((always_inline)) void pf_words_put(uint64_t *cell, const uint64_t *was,
                                                               const uint64_t *n)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
        any |= n[i];
        if (n[i] != was[i])
            pf_word_put(&pf_cell_more(cell)[i], n[i]);
    }
    pf_cell_more_mark(cell, any);
}

/* Does s say nothing that `by`, of the same slot, does not say too? Who does not know s does not know
 * the later one either. */
static inline bool pf_stmt_needless(uint64_t s, uint64_t by)
{
    return !((s ^ by) & PF_BITS_SID) && (s & PF_BITS_CLK) <= (by & PF_BITS_CLK) &&
           !(s & ~by & PF_BIT_W) && !(by & ~s & PF_BIT_A) && pf_stmt_inside(s, by);
}

/* Is s of epochs that nobody can tell apart (slot.h)? They are t's own. */
static inline bool pf_stmt_spanned(const struct pf_thread *t, uint64_t s)
{
    return (uint32_t)((s & (PF_BITS_SID | PF_BITS_CLK)) >> PF_CLK_SHIFT) - t->span.from <=
           t->span.more;
}

/* Does s say nothing that the write w does not say too, although it may be later? */
static inline bool pf_stmt_under(uint64_t s, uint64_t w)
{
    const struct pf_thread *t = __pf_tls.thread;
    return (w & PF_BIT_W) && !(w & PF_BIT_A) && pf_stmt_inside(s, w) && pf_stmt_spanned(t, s) &&
           pf_stmt_spanned(t, w);
}

/* The read `rest` stands in front of the plain read `mine` of another slot. Where an older one of its own slot stands
 * among the words `mine` takes its place there: threads that read the same in turns leave each other's words,
 * and with them the cache line, alone. Else `rest` moves to a word that is replaced or needless, or an
 * empty one; others like that go. Returns 1 if it moved, 0 if there is no room, -1 if nothing is left to
 * do. */
static inline __attribute__((always_inline)) int
pf_words_swap(const uint32_t *clock, uint64_t *cell, uint64_t rest, uint64_t mine)
{
    uint64_t *more = pf_cell_more(cell), *at = NULL, *empty = NULL;
    for (unsigned i = 0; i < PF_MORE_WORDS; i++)
        if (pf_stmt_covers(pf_word_get(&more[i]), mine))
            return -1;
    for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
        uint64_t s = pf_word_get(&more[i]);
        if (s && !((s ^ mine) & PF_BITS_SID) && pf_stmt_yields(clock, s, mine)) {
            pf_word_put(&more[i], mine);
            __pf_tls.thread->dirty = true;
            return -1;
        }
        if (!s)
            empty = &more[i];
        else if (pf_stmt_yields(clock, s, mine) || pf_stmt_needless(s, rest)) {
            if (at)
                pf_word_put(at, 0);
            at = &more[i];
        }
    }
    if (!at && !(at = empty))
        return 0;
    pf_word_put(at, rest);
    return 1;
}

/* Is the plain read `a` covered by what t, the caller, knows of the set? Whoever is in a set in its present
 * epoch was told of by any write to its granules, so there is no need to look at the other word. */
static inline bool pf_cell_met(const struct pf_thread *t, uint64_t ref, uint64_t a)
{
    const struct pf_met *m = &t->met[ref % PF_MET];
    if (m->ref != ref || !pf_stmt_covers(m->stmt, a))
        return false;
    if (m->stmt >= PF_MASK_ALL)
        __pf_tls.shared = ref;
    return true;
}

/*
 * The first statement of an empty cell. Threads that begin together often meet here: the page of the cell is not there
 * yet, and all wait for it. So this one is not lost: of two that come at the same time at least one returns false, with
 * nothing done, and finds the other's statement when it looks again.
 */
static inline bool pf_cell_first(uint64_t *cell, uint64_t mine)
{
    uint64_t empty = 0, own = mine;
    unsigned at = !(mine & PF_BIT_W);
    pf_ready(cell);
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
static inline bool pf_cell_calm(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    return pf_stmt_harmless(clock, s0, mine) && !pf_is_ref(s1) &&
           pf_stmt_harmless(clock, s1, mine) && *pf_cell_more_used(cell) != 2;
}

/*
 * The usual first touch of a granule in a new epoch: nothing that stands in the cell races with it,
 * and it takes the place of what it replaces, or joins one of its own epoch, or there is room.
 * False, with nothing done, in every other case. `mine` is the access with its id, `clock` that of
 * its thread, the caller.
 */
static inline __attribute__((always_inline)) bool pf_cell_touch_read(const uint32_t *clock,
                                                                     uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (pf_is_ref(s1))
        return pf_cell_met(__pf_tls.thread, s1, mine) || pf_record_covers(cell, s1, mine) ||
               pf_record_renew(clock, cell, mine);
    if (!(s0 | s1) && !*pf_cell_more_used(cell))
        return pf_cell_first(cell, mine);
    if (!pf_stmt_harmless(clock, s0, mine) || !pf_stmt_harmless(clock, s1, mine))
        return false;
    if (pf_stmt_covers(s0, mine)) { /* let the next read find that where it looks, if it can */
        if (pf_stmt_inside(s1, s0) && pf_stmt_known(clock, s1))
            pf_word_put(&cell[1], s0);
        return true;
    }
    if (pf_stmt_double(s0, s1))
        s1 = 0;
    uint64_t one = s1 ? pf_stmt_join(cell, s1, mine) : 0;
    uint64_t rest = one ? 0 : pf_stmt_cut(clock, s1, mine);
    if (pf_stmt_settled(rest) || pf_stmt_under(rest, s0))
        rest = 0;
    if (rest && pf_stmt_same_epoch(s1, mine))
        return false; /* no more pairs of ids */
    unsigned used = *pf_cell_more_used(cell);
    if (rest && !used && !(rest & (PF_BIT_W | PF_BIT_A)) && s0 && pf_stmt_yields(clock, s0, mine) &&
        !((s0 ^ mine) & PF_BITS_SID)) {
        /* Two readers in turns, each in a word of its own. */
        pf_word_put(&cell[0], mine);
        __pf_tls.thread->dirty = true;
        return true;
    }
    int swapped =
        used == 1 && rest && !(rest & PF_BIT_W) ? pf_words_swap(clock, cell, rest, mine) : !rest;
    if (swapped < 0)
        return true;
    if (!used && rest) {
        /* Two threads that read in turns are often the first of many: the caller knows. */
        if (!(rest & (PF_BIT_W | PF_BIT_A)) && !pf_stmt_known(clock, rest)) {
            if (pf_set_wanted(__pf_tls.thread))
                return false;
            __pf_tls.thread->set_tries++;
        }
        if (pf_stmt_settled(s0))
            pf_word_put(&cell[0], rest);
        else {
            pf_cell_more_begin(cell, rest);
            pf_cell_crowded(__pf_tls.thread);
        }
    } else if (used == 2 || !swapped) {
        uint64_t was[PF_MORE_WORDS], n[PF_MORE_WORDS];
        for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
            n[i] = was[i] = pf_word_get(&pf_cell_more(cell)[i]);
            if (!pf_stmt_harmless(clock, n[i], mine))
                return false;
            uint64_t both =
                !one && pf_stmt_same_epoch(n[i], mine) ? pf_stmt_join(cell, n[i], mine) : 0;
            if (both)
                one = both;
            n[i] = both || pf_stmt_needless(n[i], rest) ? 0 : pf_stmt_cut(clock, n[i], mine);
            if (pf_stmt_settled(n[i]) || pf_stmt_under(n[i], s0))
                n[i] = 0;
        }
        if (rest && !pf_words_add(n, rest))
            return false;
        pf_words_put(cell, was, n);
        pf_cell_crowded(__pf_tls.thread);
    }
    pf_word_put(&cell[1], one ? one : mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool pf_cell_touch_write(const uint32_t *clock,
                                                                      uint64_t *cell, uint64_t mine)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]), mask = mine & PF_MASK_ALL;
    if (!(s0 | s1) && !*pf_cell_more_used(cell))
        return pf_cell_first(cell, mine);
    if (pf_is_ref(s1) && pf_set_yields(clock, cell, s1, mine))
        s1 = 0;
    if (!pf_stmt_known(clock, s0) || !pf_stmt_known(clock, s1))
        return false;
    uint64_t one = s0 ? pf_stmt_join(cell, s0, mine) : 0;
    if (one) { /* goes on */
        if (*pf_cell_more_used(cell)) {
            uint64_t was[PF_MORE_WORDS], n[PF_MORE_WORDS];
            for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
                n[i] = was[i] = pf_word_get(&pf_cell_more(cell)[i]);
                if (!pf_stmt_known(clock, n[i]))
                    return false;
                if (pf_stmt_inside(n[i], one))
                    n[i] = 0;
            }
            pf_words_put(cell, was, n);
        }
        if (s1 == s0 || pf_stmt_inside(s1, one))
            pf_word_put(&cell[1], one);
        pf_word_put(&cell[0], one);
        return true;
    }
    uint64_t rest = pf_stmt_inside(s0, mine) || pf_stmt_settled(s0) ? 0 : s0 & ~mask;
    if (pf_stmt_double(s0, s1) || pf_stmt_inside(s1, mine) || pf_stmt_settled(s1))
        s1 = 0;
    else if (!pf_stmt_same_epoch(s1,
                                 mine ^ PF_BIT_W)) /* its own read stays: it will read that again */
        s1 &= ~mask;
    if (rest && pf_stmt_same_epoch(s0, mine))
        return false; /* no more pairs of ids */
    if (rest && !s1) {
        s1 = rest;
        rest = 0;
    }
    if (__builtin_expect(*pf_cell_more_used(cell), 0)) {
        uint64_t was[PF_MORE_WORDS], n[PF_MORE_WORDS];
        for (unsigned i = 0; i < PF_MORE_WORDS; i++) {
            n[i] = was[i] = pf_word_get(&pf_cell_more(cell)[i]);
            if (!pf_stmt_known(clock, n[i]))
                return false;
            n[i] = pf_stmt_inside(n[i], mine) || pf_stmt_settled(n[i]) ? 0 : n[i] & ~mask;
        }
        if (rest && !pf_words_add(n, rest))
            return false;
        pf_words_put(cell, was, n);
        pf_cell_crowded(__pf_tls.thread);
    } else if (rest) {
        pf_cell_more_begin(cell, rest);
        pf_cell_crowded(__pf_tls.thread);
    }
    pf_word_put(&cell[0], mine);
    pf_word_put(&cell[1], s1 ? s1 : mine); /* a double, so that reads find it too */
    __pf_tls.thread->dirty = true;
    return true;
}

/*
 * What a thread does to an atomic is mostly what it did before: its last statement of this kind and of these bytes
 * still stands in the cell, and what stands beside it is atomic too, or known. Then it is enough to renew that one.
 * The others are left alone, even those that could go: whoever made them will look for them. Returns that word, or NULL
 * if it is not so, as where the cell has a record.
 */
static inline __attribute__((always_inline)) bool
pf_own_found(const uint32_t *clock, uint64_t *word, uint64_t mine, uint64_t **own)
{
    uint64_t s = pf_word_get(word);
    if (!((s ^ mine) & ~(PF_BITS_CLK | PF_BITS_ID))) {
        *own = word;
        return !((s ^ mine) & PF_BITS_CLK); /* of this epoch: the others were looked at then */
    }
    if (__builtin_expect(!(s & PF_BIT_A), 0) && s && !pf_stmt_known(clock, s)) {
        *own = NULL;
        return true;
    }
    return false;
}

static inline __attribute__((always_inline)) uint64_t *
pf_cell_own_atomic(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    uint64_t *own = NULL;
    if (pf_own_found(clock, &cell[0], mine, &own) || pf_own_found(clock, &cell[1], mine, &own) ||
        !*pf_cell_more_used(cell))
        return own;
    uint64_t *more = pf_cell_more(cell);
    for (unsigned i = 0; i < PF_MORE_WORDS; i++)
        if (pf_own_found(clock, &more[i], mine, &own))
            break;
    return own;
}

/* Does the atomic access `mine` replace the atomic s? */
static inline bool pf_stmt_yields_atomic(const uint32_t *clock, uint64_t s, uint64_t mine)
{
    return (s & PF_BIT_A) && !(s & ~mine & PF_BIT_W) && pf_stmt_inside(s, mine) &&
           pf_stmt_known(clock, s);
}

/* Where an atomic access may stand, as far as the words of its cell were looked at. */
struct pf_atomic_way {
    uint64_t *same, *old, *empty; /* one of its kind and epoch; one that it replaces; nothing */
    uint64_t *own; /* another one of its slot */
    bool several; /* it replaces more than one */
};
enum pf_atomic_met { PF_MET_GO_ON, PF_MET_COVERED, PF_MET_CONFLICT };

static inline __attribute__((always_inline)) enum pf_atomic_met
pf_atomic_meet(struct pf_atomic_way *w, const uint32_t *clock, uint64_t *word, uint64_t mine)
{
    uint64_t s = pf_word_get(word);
    if (pf_stmt_settled(s)) {
        if (!w->empty)
            w->empty = word;
        return PF_MET_GO_ON;
    }
    if (!((s ^ mine) & (PF_BITS_SID | PF_BITS_CLK))) {
        if (!(mine & ~s & PF_BIT_W) && pf_stmt_inside(mine, s))
            return PF_MET_COVERED;
        if (pf_stmt_same_epoch(s, mine)) {
            w->same = word;
            return PF_MET_GO_ON;
        }
    }
    if (pf_stmt_yields_atomic(clock, s, mine)) {
        w->several |= w->old != NULL;
        w->old = word;
    } else if (!((s ^ mine) & PF_BITS_SID)) {
        if (w->own && pf_stmt_needless(s, pf_word_get(w->own)))
            w->empty = word;
        else if (w->own && pf_stmt_needless(pf_word_get(w->own), s))
            w->empty = w->own;
        if (w->empty != word)
            w->own = word;
    } else if (!(s & PF_BIT_A) && !pf_stmt_apart(s, mine) && !pf_stmt_known(clock, s)) {
        return PF_MET_CONFLICT;
    }
    return PF_MET_GO_ON;
}

/* The same for an atomic access: it is covered, or joins one of its epoch, or takes the place of older
 * atomic ones, or an empty one; the words that are not known are atomic too. */
static inline __attribute__((always_inline)) bool
pf_cell_touch_atomic(const uint32_t *clock, uint64_t *cell, uint64_t mine)
{
    struct pf_atomic_way way = {0};
    uint64_t *more = *pf_cell_more_used(cell) ? pf_cell_more(cell) : NULL;
    enum pf_atomic_met met;
    if (pf_is_ref(pf_word_get(&cell[1])) || !(pf_word_get(&cell[0]) | pf_word_get(&cell[1])))
        return false;
    if ((met = pf_atomic_meet(&way, clock, &cell[0], mine)) ||
        (met = pf_atomic_meet(&way, clock, &cell[1], mine)))
        return met == PF_MET_COVERED;
    for (unsigned i = 0; more && i < PF_MORE_WORDS; i++)
        if ((met = pf_atomic_meet(&way, clock, &more[i], mine)))
            return met == PF_MET_COVERED;
    /* Statements of other bytes stay apart where there is room, to be found again one by one. */
    uint64_t one = 0, *at = way.old ? way.old : way.empty;
    if (!at && way.same && (one = pf_stmt_join(cell, pf_word_get(way.same), mine)))
        at = way.same;
    if (!at)
        return false;
    if (way.several)
        for (unsigned i = 0; i < (more ? 2 + PF_MORE_WORDS : 2); i++) {
            uint64_t *word = i < 2 ? &cell[i] : &more[i - 2];
            if (word != at && pf_stmt_yields_atomic(clock, pf_word_get(word), mine))
                pf_word_put(word, 0);
        }
    pf_word_put(at, one ? one : mine);
    if (at != &cell[0] && at != &cell[1] && (mine & PF_BIT_W))
        pf_cell_more_mark(cell, mine);
    __pf_tls.thread->dirty = true;
    return true;
}

/* The plainest cases of pf_cell_touch, for a cell whose words s0 and s1 are all it has; `write` is
 * constant. As check_entry.S does it. */
static inline __attribute__((always_inline)) bool pf_cell_touch_lean(const uint32_t *clock,
                                                                     uint64_t *cell, uint64_t s0,
                                                                     uint64_t s1, uint64_t mine,
                                                                     bool write)
{
    if (!(write ? pf_stmt_known(clock, s0) : pf_stmt_calm(clock, s0)))
        return false;
    if (__builtin_expect(!(s0 | s1), 0))
        return pf_cell_first(cell, mine);
    if (write) {
        if (!pf_stmt_known(clock, s1))
            return false;
        if ((s0 ^ mine) << 8 == 0)
            mine |= s0;
        else if (!pf_stmt_inside(s0, mine))
            return false;
        pf_word_put(&cell[0], mine);
        s1 &= ~(mine & PF_MASK_ALL); /* what it leaves of the other one, or itself again */
        mine = s1 & PF_MASK_ALL ? s1 : mine;
    } else {
        if ((s1 ^ mine) << 8 == 0)
            mine |= s1;
        else if (s1 != s0 && !pf_stmt_yields(clock, s1, mine) &&
                 (pf_stmt_same_epoch(s1, mine) || !pf_stmt_under(s1, s0)))
            return false;
    }
    pf_word_put(&cell[1], mine);
    __pf_tls.thread->dirty = true;
    return true;
}

static inline __attribute__((always_inline)) bool pf_cell_touch(const uint32_t *clock,
                                                                uint64_t *cell, uint64_t mine)
{
    return mine & PF_BIT_W ? pf_cell_touch_write(clock, cell, mine)
                           : pf_cell_touch_read(clock, cell, mine);
}

#endif
