/*
 * cell.c - the complete rule of cell.h, for every state that a cell can be in.
 *
 * This is the slow path. Compiled code first tries an inline test, then check_entry.S and the
 * functions of fast_update.h, which handle the common states; they call pf_cell_access for all
 * others. The unit test shadow_cell runs all of them against a naive model.
 *
 * Without strict mode the words of a cell are updated without a lock: read all words, compute the
 * new ones, store those that changed. Spills need the stripe, because they may be freed.
 */
#include "access_set.h"
#include "cell_words.h"
#include "refresh_in_place.h"
#include "site_per_byte.h"
#include "slot.h"
#include "spin.h"

PF_ALWAYS_INLINE uint64_t merge(uint64_t *cell, uint64_t s, uint64_t a)
{
    return s ? pf_access_merge(cell, s, a) : 0;
}

/* Prepares records for a read set. Read sets are shared by granules, so their ids must not refer to
 * data of this granule (site_per_byte.h). Returns false if a record that has such data is not a
 * plain read, if a read set is not wanted now, or if no further id can be made. */
static bool detach_sites(struct pf_thread *t, const uint64_t *cell, uint64_t *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!pf_id_is_site_per_byte(list[i]))
            continue;
        if (!pf_access_is_plain_read(list[i]) || !pf_read_set_wanted(t)) {
            t->shadow.set_tries++;
            return false;
        }
        list[i] = pf_site_per_byte_detach(cell, list[i]);
        if (!list[i])
            return false;
    }
    return true;
}

/* Inserts the access (with its id) into a cell with the records s0 and s1 (0: none), and stores the
 * words. A write goes into cell[0], because the fast path of writes tests only cell[0]; a read goes
 * into cell[1], which the fast path of reads tests. */
PF_ALWAYS_INLINE void insert(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s0,
                             uint64_t s1)
{
    uint64_t one;
    t->order.dirty = true;
    if ((one = merge(cell, s0, a))) {
        pf_cell_front_put(cell, one, s1);
        return;
    }
    if ((one = merge(cell, s1, a))) {
        pf_cell_front_put(cell, s0, one);
        return;
    }
    uint64_t *front = a & PF_BIT_W ? &s0 : &s1, *back = a & PF_BIT_W ? &s1 : &s0;
    if (*front && *back) {
        /* Two readers are often the first of many, in an array that many threads read. */
        uint64_t other = *front;
        one = pf_access_is_plain_read(other) && pf_access_is_plain_read(a) &&
                      detach_sites(t, cell, &other, 1)
                  ? pf_read_set_of_two(t, other, a)
                  : 0;
        if (one) {
            a = one;
        } else {
            pf_cell_overflow_init(cell, *front);
            pf_cell_count_overflow(t);
        }
    } else if (*front) {
        *back = *front;
    }
    *front = a;
    pf_cell_front_put(cell, s0, s1);
}

/* Updates a cell with at most two records. Returns false if another thread changed the cell
 * meanwhile; then the caller starts again. */
PF_ALWAYS_INLINE bool update_two_words(struct pf_thread *t, struct pf_cell_update *v,
                                       uint64_t *cell, uint64_t s0, uint64_t s1, uint32_t site)
{
    uint64_t n0 = pf_cell_update_apply(t->order.clock, v, s0),
             n1 = pf_cell_update_apply(t->order.clock, v, s1);
    if (pf_cell_update_covered(v)) {
        /* Put it where the next read looks. */
        if (!n1 && !(v->a & PF_BIT_W))
            n1 = n0;
        if (n0 != s0 || n1 != s1)
            pf_cell_front_put(cell, n0, n1);
        return true;
    }
    pf_cell_update_resolve_id(t, v, site); /* may be slow the first time */
    if (pf_word_get(&cell[0]) != s0 || pf_word_get(&cell[1]) != s1)
        return false;
    if (!(s0 | s1))
        return pf_cell_insert_first(cell, v->a);
    if (n1 && pf_access_equal_but_bytes(n0, n1)) { /* parts of a write that was in both words */
        n0 |= n1;
        n1 = 0;
    }
    insert(t, v->a, cell, n0, n1);
    return true;
}

/* Stores the records list[0..n), n <= PF_CELL_WORDS, and `first` unless it is 0, in the words of
 * the cell. `first` goes to cell[0] if `write`, else to cell[1]. */
static void write_words(uint64_t *cell, const uint64_t *list, unsigned n, uint64_t first,
                        bool write)
{
    uint64_t out[PF_CELL_WORDS] = {0}, was[PF_CELL_WORDS];
    unsigned k = 0, front = write ? 0 : 1;
    if (first)
        out[front] = first;
    /* keep writes out of the overflow words, for the sake of reads */
    for (unsigned i = 0; i < n && !out[0]; i++)
        if (list[i] & PF_BIT_W)
            out[0] = list[k = i];
    bool moved = out[0] && !write;
    for (unsigned i = 0, to = 0; i < n; i++) {
        if (moved && i == k)
            continue;
        while (out[to])
            to++;
        out[to] = list[i];
    }
    pf_cell_words_get(cell, was);
    pf_cell_words_put(cell, was, out);
}

/* Applies the access to the records list[0..*n) and removes those that it replaces. Returns the
 * record that must still be added: the access with its id, possibly merged with a record that was
 * removed from the list; 0 if the access is covered. */
static uint64_t apply_to_list(struct pf_thread *t, struct pf_cell_update *v, uint64_t *cell,
                              uint64_t *list, unsigned *n, uint32_t site, struct pf_racing *racing)
{
    unsigned m = 0;
    for (unsigned i = 0; i < *n; i++) {
        v->race = 0;
        uint64_t s = pf_cell_update_apply(t->order.clock, v, list[i]);
        if (v->race && racing->n < sizeof racing->record / sizeof *racing->record)
            racing->record[racing->n++] = v->race;
        if (s)
            list[m++] = s;
    }
    *n = m;
    if (pf_cell_update_covered(v))
        return 0;
    pf_cell_update_resolve_id(t, v, site);
    t->order.dirty = true;
    for (unsigned i = 0; i < m; i++) {
        uint64_t one = merge(cell, list[i], v->a);
        if (one) {
            /* The merged record takes the place of the access. */
            list[i] = list[--*n];
            return one;
        }
    }
    return v->a;
}

/* All words of the cell are in use, and the record a must be added: moves the records to a read set
 * or a spill. */
static __attribute__((noinline)) void spill_words(struct pf_thread *t, uint64_t *cell,
                                                  const uint64_t list[PF_CELL_WORDS], uint64_t a)
{
    bool write = a & PF_BIT_W; /* the newest write stays in cell[0] */
    uint64_t reads[PF_CELL_WORDS - 1];
    for (unsigned i = 1; i < PF_CELL_WORDS; i++)
        reads[i - 1] = list[i];
    uint64_t ref = pf_access_is_plain_read(a) && detach_sites(t, cell, reads, PF_CELL_WORDS - 1)
                       ? pf_read_set_of_list(t, reads, PF_CELL_WORDS - 1, a)
                       : 0;
    if (!ref)
        ref = write ? pf_spill_new(list, PF_CELL_WORDS, 0)
                    : pf_spill_new(list + 1, PF_CELL_WORDS - 1, a);
    pf_cell_overflow_set_state(cell, 0);
    pf_word_put(&cell[1], ref);
    pf_word_put(&cell[0], write ? a : list[0]);
}

/* Finds a word that is subsumed by another word or by `old`, but is not n[in_front]. Returns
 * PF_CELL_WORDS if there is none. */
static unsigned find_subsumed_word(const uint64_t n[PF_CELL_WORDS], uint64_t old, unsigned in_front)
{
    for (unsigned i = 0; i < PF_CELL_WORDS; i++) {
        bool subsumed = pf_access_subsumed_by(n[i], old);
        for (unsigned k = 0; k < PF_CELL_WORDS; k++)
            subsumed |= k != i && pf_access_subsumed_by(n[i], n[k]);
        if (subsumed && i != in_front)
            return i;
    }
    return PF_CELL_WORDS;
}

/* True if a and b are plain records of one kind in the span of t, made under the same locks: every
 * thread has seen both or neither, so one record of their union gives correct reports. */
static bool may_unite(const struct pf_thread *t, uint64_t a, uint64_t b)
{
    return a && b && !((a ^ b) & (PF_BITS_SID | PF_BIT_W)) && !((a | b) & PF_BIT_A) &&
           pf_access_in_span(t, a) && pf_access_in_span(t, b) &&
           pf_epoch_lockset(pf_access_sid(a), pf_access_clk(a)) ==
               pf_epoch_lockset(pf_access_sid(b), pf_access_clk(b));
}

__attribute__((preserve_most)) bool pf_overflow_merge_span(uint64_t *cell, uint64_t *n)
{
    const struct pf_thread *t = __pf_tls.thread;
    bool room = false;
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        for (unsigned k = i + 1; k < PF_OVERFLOW_WORDS; k++) {
            if (!may_unite(t, n[i], n[k]))
                continue;
            bool first_is_later = pf_access_clk(n[i]) > pf_access_clk(n[k]);
            uint64_t later = first_is_later ? n[i] : n[k], earlier = first_is_later ? n[k] : n[i];
            uint32_t id = pf_site_per_byte_unite(cell, later, earlier);
            if (!id)
                continue;
            n[i] = ((later | (earlier & PF_MASK_ALL)) & ~PF_BITS_ID) | id;
            n[k] = 0;
            room = true;
        }
    return room;
}

/* Updates a cell that has no set; leaves its previous words in s. Returns false, with nothing done,
 * if the cell has a set meanwhile. */
static bool update_all_words(struct pf_thread *t, uint64_t *cell, struct pf_cell_update *v,
                             uint32_t site, uint64_t s[PF_CELL_WORDS])
{
    uint64_t n[PF_CELL_WORDS];
    pf_cell_words_get(cell, s);
    /* a reference must not be moved: a holder of the stripe may free the spill */
    if (pf_word_is_ref(s[1]))
        return false;
    for (unsigned i = 0; i < PF_CELL_WORDS; i++)
        n[i] = pf_cell_update_apply(t->order.clock, v, s[i]);
    bool write = v->a & PF_BIT_W;
    if (pf_cell_update_covered(v)) {
        if (!n[1] && !write) /* put it where the next read looks */
            n[1] = n[0];
    } else {
        pf_cell_update_resolve_id(t, v, site);
        t->order.dirty = true;
        if (n[1] && pf_access_equal_but_bytes(n[0], n[1])) { /* parts of one write */
            n[0] |= n[1];
            n[1] = 0;
        }
        uint64_t add = v->a;
        for (unsigned i = 0; i < PF_CELL_WORDS && add; i++) {
            uint64_t one = merge(cell, n[i], add);
            if (one) {
                n[i] = one;
                add = 0;
            }
        }
        if (add) { /* it goes in front; the word there moves elsewhere */
            uint64_t old = n[!write];
            unsigned k = 0;
            n[!write] = add;
            while (old && k < PF_CELL_WORDS && n[k])
                k++;
            if (k == PF_CELL_WORDS)
                k = find_subsumed_word(n, old, !write);
            if (k == PF_CELL_WORDS) {
                n[!write] = old;
                spill_words(t, cell, n, add);
                return true;
            }
            if (old)
                n[k] = old;
        }
    }
    pf_cell_words_put(cell, s, n);
    return true;
}

/* Remembers that s, a record of t's current epoch, is in the read set `ref`: reads of the bytes of
 * s by t are covered in every cell that refers to it. If s has all 8 bytes, the inline test of
 * reads uses `ref`. */
static void cache_read_set(struct pf_thread *t, uint64_t ref, uint64_t s)
{
    if (pf_rt.oracle)
        return;
    t->shadow.read_set_cache[ref % PF_READ_SET_CACHE_SIZE] = (struct pf_read_set_entry){ref, s};
    if ((s & PF_MASK_ALL) == PF_MASK_ALL)
        __pf_tls.read_set = ref;
}

/* Adds the plain read v->a to the read set s1 of the cell. Returns false, with nothing done, if a
 * spill is needed instead. */
static bool add_to_read_set(struct pf_thread *t, struct pf_cell_update *v, uint64_t *cell,
                            uint64_t s0, uint64_t s1, uint32_t site)
{
    uint64_t n0 = pf_cell_update_apply(t->order.clock, v, s0);
    pf_cell_update_resolve_id(t, v, site);
    uint64_t to = pf_read_set_add(t, s1, v->a);
    if (!to)
        return false;
    t->order.dirty = true;
    if (!n0 && pf_rt.check_only_threads)
        n0 = v->a;
    if (n0 != s0)
        pf_word_put(&cell[0], n0);
    if (to != s1)
        pf_word_put(&cell[1], to);
    if (pf_word_is_ref(to))
        cache_read_set(t, to, v->a);
    return true;
}

__attribute__((preserve_most)) uint64_t pf_cell_repeat_addition(const uint32_t *clock,
                                                                uint64_t *cell, uint64_t s0,
                                                                uint64_t s1, uint64_t mine)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!pf_access_cannot_race(clock, s0, mine) || (!s0 && pf_rt.check_only_threads))
        return 0;
    uint64_t to = pf_read_set_add_memoised(t, s1, mine);
    if (!to)
        return 0;
    t->order.dirty = true;
    pf_word_put(&cell[1], to);
    if (pf_word_is_ref(to))
        cache_read_set(t, to, mine);
    return to;
}

/* Updates a cell whose cell[1] is the reference s1, by way of a spill. The caller holds the stripe.
 * Threads that do not need the spill take no stripe, and may store a record into cell[1] at any
 * time. */
static void update_spill(struct pf_thread *t, struct pf_cell_update *v, uint64_t *cell, uint64_t s1,
                         uint32_t site, struct pf_racing *racing)
{
    uint64_t s0 = pf_word_get(&cell[0]);
    struct pf_access_set *set = pf_spill_for_update(&s1); /* a private copy, if it is a read set */
    if (!set) { /* out of memory, which the store counts: lose records rather than invent any */
        pf_word_put(&cell[1], 0);
        return;
    }
    /* freed below, after the cell no longer refers to it; readers without the stripe may still look
     * at it */
    uint64_t was = s1;
    /* one list of all records; pf_spill_reserve left room for this one */
    if (s0 && set->n < pf_access_set_capacity(set))
        set->record[set->n++] = s0;
    unsigned n = set->n;
    uint64_t a = apply_to_list(t, v, cell, set->record, &n, site, racing);
    set->n = (uint16_t)n;
    if (n + !!a <= PF_CELL_WORDS) {
        uint64_t few[PF_CELL_WORDS];
        for (unsigned i = 0; i < n; i++)
            few[i] = set->record[i];
        write_words(cell, few, n, a, a & PF_BIT_W);
        pf_spill_free(was);
        return;
    }
    if (a & PF_BIT_W) {
        s0 = a; /* the newest write goes into cell[0] */
    } else {
        s0 = set->record[--set->n];
        if (a)
            set = pf_spill_push(set, &s1, a);
    }
    pf_spill_update_kinds(set);
    pf_word_put(&cell[0], s0);
    s1 = pf_spill_reserve(set, s1);
    pf_word_put(&cell[1], s1);
    if (s1 != was)
        pf_spill_free(was);
}

/* True if one record of the read set covers all of a. Caches it. */
static bool covered_in_read_set(struct pf_thread *t, uint64_t ref, uint64_t a)
{
    const struct pf_access_set *set = pf_access_set_at(ref);
    for (unsigned i = 0; i < set->n; i++) {
        uint64_t s = set->record[i];
        if (pf_access_covers(s, a)) {
            cache_read_set(t, ref, s);
            return true;
        }
    }
    return false;
}

/* Updates that need a set, or a lock. */
static __attribute__((noinline)) void update_slow(struct pf_thread *t, uintptr_t addr, uint64_t a,
                                                  uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    struct pf_cell_update v = {a, 0, 0};
    if (!pf_rt.strict && pf_word_is_ref(s1) && pf_ref_is_read_set(cell, s1) &&
        pf_access_is_plain_read(a)) {
        /* A read set can have a member for each thread, so consult the caches before searching
         * it. */
        if (pf_read_set_cache_covers(t, s1, a))
            return;
        pf_cell_update_resolve_id(t, &v, site);
        if (pf_cell_repeat_addition(t->order.clock, cell, s0, s1, v.a) ||
            covered_in_read_set(t, s1, a))
            return;
        if (add_to_read_set(t, &v, cell, s0, s1, site)) {
            if (v.race)
                pf_cell_report(t, &v, addr, site, &s0, 1);
            return;
        }
    }
    struct pf_racing racing;
    struct pf_spin *stripe = pf_cell_stripe(cell);
    pf_spin_lock(stripe);
    for (bool done = false; !done;) {
        v.covered = v.race = 0;
        racing.n = 0;
        s1 = pf_word_get(&cell[1]);
        if (pf_word_is_ref(s1)) {
            update_spill(t, &v, cell, s1, site, &racing);
            done = true;
        } else {
            done = update_all_words(t, cell, &v, site, racing.record);
            racing.n = v.race ? PF_CELL_WORDS : 0;
        }
    }
    pf_spin_unlock(stripe);
    if (racing.n)
        pf_cell_report(t, &v, addr, site, racing.record, racing.n);
}

void pf_cell_access(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), before[PF_CELL_WORDS];
    struct pf_cell_update v = {a, 0, 0};
    unsigned n = 0;
    for (bool done = false; !done;) {
        uint64_t s0 = before[0] = pf_word_get(&cell[0]), s1 = before[1] = pf_word_get(&cell[1]);
        v.covered = v.race = 0;
        if (__builtin_expect(pf_word_is_ref(s1) | pf_rt.strict, 0)) {
            update_slow(t, addr, v.a, site);
            return;
        }
        if (*pf_cell_overflow_state(cell)) {
            n = PF_CELL_WORDS;
            done = update_all_words(t, cell, &v, site, before);
        } else {
            n = 2;
            done = update_two_words(t, &v, cell, s0, s1, site);
        }
    }
    if (__builtin_expect(v.race != 0, 0))
        pf_cell_report(t, &v, addr, site, before, n);
}
