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
#include "cell.h"
#include "access_set.h"
#include "check.h"
#include "fast_update.h"
#include "hooks.h"
#include "refresh_in_place.h"
#include "rt.h"
#include "site_per_byte.h"
#include "spin.h"
#include "stack.h"

#define STRIPES 1024

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

static uint64_t get(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static void put(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }

/* An access while it is applied to the records of a cell. */
struct cell_update {
    uint64_t a;
    uint64_t covered; /* bytes of a, as mask bits, that an equal or stronger record covers */
    uint64_t race;    /* not 0: a record that the access races with */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE bool as_strong(uint64_t s, uint64_t a) /* s >= a */
{
    return !((a & ~s) & PF_BIT_W) && !((s & ~a) & PF_BIT_A);
}

ALWAYS_INLINE bool plain_read(uint64_t s) { return !(s & (PF_BIT_W | PF_BIT_A)); }

/* Applies the access v->a to the record s. Returns what remains of s, 0 if nothing. */
ALWAYS_INLINE uint64_t apply(const uint32_t *clock, struct cell_update *v, uint64_t s)
{
    uint64_t both = s & v->a & PF_MASK_ALL;
    if (!both)
        return pf_access_globally_ordered(s) ? 0 : s;
    if (!((s ^ v->a) & PF_BITS_SID)) {
        if (!((s ^ v->a) & PF_BITS_CLK) && as_strong(s, v->a)) {
            v->covered |= both;
            return s;
        }
    } else if (__builtin_expect(pf_access_clk(s) > clock[pf_access_sid(s)], 0)) {
        if (!((s | v->a) & PF_BIT_W) || (s & v->a & PF_BIT_A))
            return s;
        v->race = s;
    }
    if (!as_strong(v->a, s))
        return s;
    s &= ~both;
    return s & PF_MASK_ALL ? s : 0;
}

ALWAYS_INLINE bool is_covered(const struct cell_update *v)
{
    return !(v->a & PF_MASK_ALL & ~v->covered);
}

/* Computes the site id of the access, unless it has one. */
ALWAYS_INLINE void resolve_id(struct pf_thread *t, struct cell_update *v, uint32_t site)
{
    if (!(v->a & PF_BITS_ID) && site != PF_NO_SITE)
        v->a |= pf_stack_id(t, site);
}

/* Merges s and a into one record if they are of the same kind and epoch; returns 0 if that is
 * impossible. */
ALWAYS_INLINE uint64_t merge(struct pf_thread *t, uint64_t *cell, uint64_t s, uint64_t a)
{
    if (!s || ((s ^ a) & ~(PF_MASK_ALL | PF_BITS_ID)))
        return 0;
    uint64_t alone = s & ~a & PF_MASK_ALL; /* bytes that only s has */
    if (!alone || !((s ^ a) & PF_BITS_ID))
        return a | alone;
    uint32_t id = pf_site_per_byte_join(t, cell, s, a);
    return id ? ((s | a) & ~PF_BITS_ID) | id : 0;
}

/* Prepares records for a read set. Read sets are shared by granules, so their ids must not refer to
 * data of this granule (site_per_byte.h). Returns false if a read set is not wanted now, or if
 * there are no ids. */
static bool detach_sites(struct pf_thread *t, const uint64_t *cell, uint64_t *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!pf_id_is_site_per_byte(list[i]))
            continue;
        if (!plain_read(list[i]) || !pf_read_set_wanted(t)) {
            t->set_tries++;
            return false;
        }
        list[i] = pf_site_per_byte_detach(cell, list[i]);
        if (!list[i])
            return false;
    }
    return true;
}

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

/* True if the access a races with the record s. */
static bool conflicts(const uint32_t *clock, uint64_t a, uint64_t s)
{
    return (s & a & PF_MASK_ALL) && ((s ^ a) & PF_BITS_SID) &&
           pf_access_clk(s) > clock[pf_access_sid(s)] && ((s | a) & PF_BIT_W) &&
           !(s & a & PF_BIT_A);
}

/* Reports the races of the access with the records of the cell, record[0..n), as they were before
 * the update. */
static __attribute__((noinline, cold)) void report(struct pf_thread *t, struct cell_update *v,
                                                   uintptr_t addr, uint32_t site,
                                                   const uint64_t *record, unsigned n)
{
    resolve_id(t, v, site);
    for (unsigned i = 0; i < n; i++) {
        if (!conflicts(t->clock, v->a, record[i]) || (i && record[i] == record[i - 1]))
            continue; /* a duplicate is reported once */
        for (uint64_t both = v->a & record[i] & PF_MASK_ALL; both;) {
            uint64_t then = narrow_to_byte(pf_cell_of(addr), record[i],
                                           (unsigned)__builtin_ctzll(both >> PF_MASK_SHIFT));
            struct race_report r = {t, addr & ~(uintptr_t)7, v->a, then};
            pf_call_saved(report_saved, &r);
            both &= ~then;
        }
    }
}

#define WORDS (2 + PF_OVERFLOW_WORDS)

/* Reads all words of a cell; overflow words that are not in use read as 0. */
ALWAYS_INLINE void words_get(uint64_t *cell, uint64_t s[WORDS])
{
    bool overflow = *pf_cell_overflow_state(cell);
    s[0] = get(&cell[0]);
    s[1] = get(&cell[1]);
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        s[2 + i] = overflow ? get(&pf_cell_overflow(cell)[i]) : 0;
}

/* While check-only threads exist (rt.h), no front word of a cell that has records may be empty:
 * their inline test looks at one front word only. An empty front word gets a record from the
 * overflow words, or a duplicate of the other front word. */
static __attribute__((noinline)) void fill_front(uint64_t n[WORDS])
{
    for (unsigned front = 0; front < 2; front++)
        for (unsigned i = 2; !n[front] && i < WORDS; i++) {
            n[front] = n[i];
            n[i] = 0;
        }
    for (unsigned front = 0; front < 2; front++)
        if (!n[front])
            n[front] = n[!front];
}

/* Changes the words of a cell from `s` to `n`. In most cases this stores one word. */
ALWAYS_INLINE void words_put(uint64_t *cell, const uint64_t s[WORDS], uint64_t n[WORDS])
{
    uint64_t has = 0, *overflow = pf_cell_overflow(cell);
    bool all = !*pf_cell_overflow_state(cell);
    if (__builtin_expect(pf_rt.check_only_threads, 0))
        fill_front(n);
    for (unsigned i = 2; i < WORDS; i++)
        has |= n[i];
    for (unsigned i = 2; has && i < WORDS; i++)
        if (all || n[i] != s[i])
            put(&overflow[i - 2], n[i]);
    pf_cell_overflow_set_state(cell, has);
    for (unsigned i = 2; i-- > 0;)
        if (n[i] != s[i])
            put(&cell[i], n[i]);
}

/* Stores both front words. */
ALWAYS_INLINE void front_put(uint64_t *cell, uint64_t s0, uint64_t s1)
{
    if (__builtin_expect(pf_rt.check_only_threads, 0)) {
        s0 = s0 ? s0 : s1;
        s1 = s1 ? s1 : s0;
    }
    put(&cell[0], s0);
    put(&cell[1], s1);
}

/* Inserts the access (with its id) into a cell with the records s0 and s1 (0: none), and stores the
 * words. A write goes into cell[0], because the fast path of writes tests only cell[0]; a read goes
 * into cell[1], which the fast path of reads tests. */
ALWAYS_INLINE void insert(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s0, uint64_t s1)
{
    uint64_t one;
    t->dirty = true;
    if ((one = merge(t, cell, s0, a))) {
        front_put(cell, one, s1);
        return;
    }
    if ((one = merge(t, cell, s1, a))) {
        front_put(cell, s0, one);
        return;
    }
    uint64_t *front = a & PF_BIT_W ? &s0 : &s1, *back = a & PF_BIT_W ? &s1 : &s0;
    if (*front && *back) {
        /* Two readers are often the first of many, in an array that many threads read. */
        uint64_t other = *front;
        one = plain_read(other) && plain_read(a) && detach_sites(t, cell, &other, 1)
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
    front_put(cell, s0, s1);
}

/* Updates a cell with at most two records. Returns false if another thread changed the cell
 * meanwhile; then the caller starts again. */
ALWAYS_INLINE bool update_two_words(struct pf_thread *t, struct cell_update *v, uint64_t *cell,
                                    uint64_t s0, uint64_t s1, uint32_t site)
{
    uint64_t n0 = apply(t->clock, v, s0), n1 = apply(t->clock, v, s1);
    if (is_covered(v)) {
        /* Put it where the next read looks. */
        if (!n1 && !(v->a & PF_BIT_W))
            n1 = n0;
        if (n0 != s0 || n1 != s1)
            front_put(cell, n0, n1);
        return true;
    }
    resolve_id(t, v, site); /* may be slow the first time */
    if (get(&cell[0]) != s0 || get(&cell[1]) != s1)
        return false;
    if (!(s0 | s1))
        return pf_cell_insert_first(cell, v->a);
    if (n1 && !((n0 ^ n1) << 8)) { /* a duplicate (pf_access_is_duplicate) */
        n0 |= n1;
        n1 = 0;
    }
    insert(t, v->a, cell, n0, n1);
    return true;
}

/* Stores the records list[0..n), n <= WORDS, and `first` unless it is 0, in the words of the cell.
 * `first` goes to cell[0] if `write`, else to cell[1]. */
static void write_words(uint64_t *cell, const uint64_t *list, unsigned n, uint64_t first,
                        bool write)
{
    uint64_t out[WORDS] = {0}, was[WORDS];
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
    words_get(cell, was);
    words_put(cell, was, out);
}

/* The records that one access races with, for the report. */
struct racing {
    unsigned n;
    uint64_t record[64]; /* further ones are not reported */
};

/* Applies the access to the records list[0..*n) and removes those that it replaces. Returns the
 * record that must still be added: the access with its id, possibly merged with a record that was
 * removed from the list; 0 if the access is covered. */
static uint64_t apply_to_list(struct pf_thread *t, struct cell_update *v, uint64_t *cell,
                              uint64_t *list, unsigned *n, uint32_t site, struct racing *racing)
{
    unsigned m = 0;
    for (unsigned i = 0; i < *n; i++) {
        v->race = 0;
        uint64_t s = apply(t->clock, v, list[i]);
        if (v->race && racing->n < sizeof racing->record / sizeof *racing->record)
            racing->record[racing->n++] = v->race;
        if (s)
            list[m++] = s;
    }
    *n = m;
    if (is_covered(v))
        return 0;
    resolve_id(t, v, site);
    t->dirty = true;
    for (unsigned i = 0; i < m; i++) {
        uint64_t one = merge(t, cell, list[i], v->a);
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
                                                  const uint64_t list[WORDS], uint64_t a)
{
    bool write = a & PF_BIT_W; /* the newest write stays in cell[0] */
    uint64_t reads[WORDS - 1];
    for (unsigned i = 1; i < WORDS; i++)
        reads[i - 1] = list[i];
    uint64_t ref = plain_read(a) && detach_sites(t, cell, reads, WORDS - 1)
                       ? pf_read_set_of_list(t, reads, WORDS - 1, a)
                       : 0;
    if (!ref)
        ref = write ? pf_spill_new(list, WORDS, 0) : pf_spill_new(list + 1, WORDS - 1, a);
    pf_cell_overflow_set_state(cell, 0);
    put(&cell[1], ref);
    put(&cell[0], write ? a : list[0]);
}

/* Finds a word that is subsumed by another word or by `old`, but is not n[in_front]. Returns WORDS
 * if there is none. */
static unsigned find_subsumed_word(const uint64_t n[WORDS], uint64_t old, unsigned in_front)
{
    for (unsigned i = 0; i < WORDS; i++) {
        bool subsumed = pf_access_subsumed_by(n[i], old);
        for (unsigned k = 0; k < WORDS; k++)
            subsumed |= k != i && pf_access_subsumed_by(n[i], n[k]);
        if (subsumed && i != in_front)
            return i;
    }
    return WORDS;
}

/* Updates a cell that has no set; leaves its previous words in s. Returns false, with nothing done,
 * if the cell has a set meanwhile. */
static bool update_all_words(struct pf_thread *t, uint64_t *cell, struct cell_update *v,
                             uint32_t site, uint64_t s[WORDS])
{
    uint64_t n[WORDS];
    words_get(cell, s);
    /* a reference must not be moved: a holder of the stripe may free the spill */
    if (pf_word_is_ref(s[1]))
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        n[i] = apply(t->clock, v, s[i]);
    bool write = v->a & PF_BIT_W;
    if (is_covered(v)) {
        if (!n[1] && !write) /* put it where the next read looks */
            n[1] = n[0];
    } else {
        resolve_id(t, v, site);
        t->dirty = true;
        if (n[1] && !((n[0] ^ n[1]) << 8)) { /* a duplicate */
            n[0] |= n[1];
            n[1] = 0;
        }
        uint64_t add = v->a;
        for (unsigned i = 0; i < WORDS && add; i++) {
            uint64_t one = merge(t, cell, n[i], add);
            if (one) {
                n[i] = one;
                add = 0;
            }
        }
        if (add) { /* it goes in front; the word there moves elsewhere */
            uint64_t old = n[!write];
            unsigned k = 0;
            n[!write] = add;
            while (old && k < WORDS && n[k])
                k++;
            if (k == WORDS)
                k = find_subsumed_word(n, old, !write);
            if (k == WORDS) {
                n[!write] = old;
                spill_words(t, cell, n, add);
                return true;
            }
            if (old)
                n[k] = old;
        }
    }
    words_put(cell, s, n);
    return true;
}

/* Remembers that s, a record of t's current epoch, is in the read set `ref`: reads of the bytes of
 * s by t are covered in every cell that refers to it. If s has all 8 bytes, the inline test of
 * reads uses `ref`. */
static void cache_read_set(struct pf_thread *t, uint64_t ref, uint64_t s)
{
    if (pf_rt.oracle)
        return;
    t->read_set_cache[ref % PF_READ_SET_CACHE_SIZE] = (struct pf_read_set_entry){ref, s};
    if ((s & PF_MASK_ALL) == PF_MASK_ALL)
        __pf_tls.read_set = ref;
}

/* Adds the plain read v->a to the read set s1 of the cell. Returns false, with nothing done, if a
 * spill is needed instead. */
static bool add_to_read_set(struct pf_thread *t, struct cell_update *v, uint64_t *cell, uint64_t s0,
                            uint64_t s1, uint32_t site)
{
    uint64_t n0 = apply(t->clock, v, s0);
    resolve_id(t, v, site);
    uint64_t to = pf_read_set_add(t, s1, v->a);
    if (!to)
        return false;
    t->dirty = true;
    if (!n0 && pf_rt.check_only_threads)
        n0 = v->a;
    if (n0 != s0)
        put(&cell[0], n0);
    if (to != s1)
        put(&cell[1], to);
    if (pf_word_is_ref(to))
        cache_read_set(t, to, v->a);
    return true;
}

/* Updates a cell whose cell[1] is the reference s1, by way of a spill. The caller holds the stripe.
 * Threads that do not need the spill take no stripe, and may store a record into cell[1] at any
 * time. */
static void update_spill(struct pf_thread *t, struct cell_update *v, uint64_t *cell, uint64_t s1,
                         uint32_t site, struct racing *racing)
{
    uint64_t s0 = get(&cell[0]);
    struct pf_access_set *set = pf_spill_for_update(&s1); /* a private copy, if it is a read set */
    if (!set) { /* out of memory, which the store counts: lose records rather than invent any */
        put(&cell[1], 0);
        return;
    }
    /* freed below, after the cell no longer refers to it; readers without the stripe may still look
     * at it */
    uint64_t was = s1;
    if (s0 && set->n < pf_access_set_capacity(
                           /* one list of all records; pf_spill_reserve left room for this one */
                           set))
        set->record[set->n++] = s0;
    unsigned n = set->n;
    uint64_t a = apply_to_list(t, v, cell, set->record, &n, site, racing);
    set->n = (uint16_t)n;
    if (n + !!a <= WORDS) {
        uint64_t few[WORDS];
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
    put(&cell[0], s0);
    s1 = pf_spill_reserve(set, s1);
    put(&cell[1], s1);
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
    uint64_t *cell = pf_cell_of(addr), s0 = get(&cell[0]), s1 = get(&cell[1]);
    struct cell_update v = {a, 0, 0};
    if (!pf_rt.strict && pf_word_is_ref(s1) && pf_ref_is_read_set(cell, s1) && plain_read(a)) {
        /* A read set can have a member for each thread, so consult the caches before searching
         * it. */
        if (pf_read_set_cache_covers(t, s1, a))
            return;
        resolve_id(t, &v, site);
        if (!pf_read_set_add_cached(t, s1, v.a) && covered_in_read_set(t, s1, a))
            return;
        if (add_to_read_set(t, &v, cell, s0, s1, site)) {
            if (v.race)
                report(t, &v, addr, site, &s0, 1);
            return;
        }
    }
    struct racing racing;
    struct pf_spin *stripe = pf_cell_stripe(cell);
    pf_spin_lock(stripe);
    for (bool done = false; !done;) {
        v.covered = v.race = 0;
        racing.n = 0;
        s1 = get(&cell[1]);
        if (pf_word_is_ref(s1)) {
            update_spill(t, &v, cell, s1, site, &racing);
            done = true;
        } else {
            done = update_all_words(t, cell, &v, site, racing.record);
            racing.n = v.race ? WORDS : 0;
        }
    }
    pf_spin_unlock(stripe);
    if (racing.n)
        report(t, &v, addr, site, racing.record, racing.n);
}

void pf_cell_access(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), before[WORDS];
    struct cell_update v = {a, 0, 0};
    unsigned n = 0;
    for (bool done = false; !done;) {
        uint64_t s0 = before[0] = get(&cell[0]), s1 = before[1] = get(&cell[1]);
        v.covered = v.race = 0;
        if (__builtin_expect(pf_word_is_ref(s1) | pf_rt.strict, 0)) {
            update_slow(t, addr, v.a, site);
            return;
        }
        if (*pf_cell_overflow_state(cell)) {
            n = WORDS;
            done = update_all_words(t, cell, &v, site, before);
        } else {
            n = 2;
            done = update_two_words(t, &v, cell, s0, s1, site);
        }
    }
    if (__builtin_expect(v.race != 0, 0))
        report(t, &v, addr, site, before, n);
}

/* Lists the records that the access races with in a cell that refers to a set, and clears a read
 * set that it replaces. The caller holds the stripe. */
static void check_only_set(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s1,
                           struct racing *racing)
{
    const struct pf_access_set *set = pf_access_set_at(s1);
    uint64_t s0 = get(&cell[0]);
    unsigned max = sizeof racing->record / sizeof *racing->record;
    if (conflicts(t->clock, a, s0))
        racing->record[racing->n++] = s0;
    for (unsigned i = 0; i < set->n && racing->n < max; i++)
        if (conflicts(t->clock, a, set->record[i]))
            racing->record[racing->n++] = set->record[i];
    if (!racing->n && (a & PF_BIT_W) && !(a & PF_BIT_A) &&
        pf_read_set_replaceable(t->clock, cell, s1, a)) {
        struct cell_update v = {a, 0, 0};
        s0 = apply(t->clock, &v, s0);
        put(&cell[0], s0);
        put(&cell[1], s0);
    }
}

/* The same for a cell without a set. Records are removed byte by byte, as if the access replaced
 * them. */
static void check_only_words(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s[WORDS],
                             struct racing *racing)
{
    struct cell_update v = {a, 0, 0};
    uint64_t n[WORDS];
    for (unsigned i = 0; i < WORDS; i++) {
        v.race = 0;
        n[i] = apply(t->clock, &v, s[i]);
        if (v.race && !(i && s[i] == s[i - 1]))
            racing->record[racing->n++] = s[i];
    }
    words_put(cell, s, n);
}

void pf_cell_check_only(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), s[WORDS];
    if (!(get(&cell[0]) | get(&cell[1])))
        return;
    struct racing racing;
    racing.n = 0;
    words_get(cell, s);
    struct pf_spin *stripe = pf_rt.strict || pf_word_is_ref(s[1]) ? pf_cell_stripe(cell) : NULL;
    if (stripe) {
        pf_spin_lock(stripe);
        words_get(cell, s);
    }
    if (pf_word_is_ref(s[1])) {
        if (stripe) /* else it became one just now; the next access sees it */
            check_only_set(t, a, cell, s[1], &racing);
    } else {
        check_only_words(t, a, cell, s, &racing);
    }
    if (stripe)
        pf_spin_unlock(stripe);
    struct cell_update v = {a, 0, 0};
    if (racing.n)
        report(t, &v, addr, site, racing.record, racing.n);
}

/* Clears one cell and frees its spill. */
static void clear_one(uint64_t *cell)
{
    uint64_t s1 = get(&cell[1]);
    struct pf_spin *stripe = pf_word_is_ref(s1) ? pf_cell_stripe(cell) : NULL;
    if (__builtin_expect(stripe != NULL, 0)) {
        pf_spin_lock(stripe);
        s1 = get(&cell[1]);
    }
    if (get(&cell[0]) | s1) {
        put(&cell[0], 0);
        put(&cell[1], 0);
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
    uint32_t marks;
    for (unsigned i = 0; i < 8; i += 2) {
        uint64_t s1 = get(&cell[i + 1]);
        if (__builtin_expect(pf_word_is_ref(s1), 0))
            return false;
        any |= get(&cell[i]) | s1;
    }
    for (unsigned i = 0; any && i < 8; i++)
        put(&cell[i], 0);
    __builtin_memcpy(&marks, pf_cell_overflow_state(cell), sizeof marks);
    for (unsigned i = 0; marks && i < 8; i += 2)
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
    uint64_t w[WORDS];
    unsigned n = 0;
    struct pf_spin *stripe = NULL;
    words_get(cell, w);
    if (pf_word_is_ref(
            w[1])) { /* a spill belongs to its cell, and exists, as long as the stripe is held */
        stripe = pf_cell_stripe(cell);
        pf_spin_lock(stripe);
        words_get(cell, w);
    }
    for (unsigned i = 0; i < WORDS; i++) {
        const struct pf_access_set *set = pf_word_is_ref(w[i]) ? pf_access_set_at(w[i]) : NULL;
        for (unsigned k = 0; w[i] && n < max && k < (set ? set->n : 1u); k++)
            out[n++] = set ? set->record[k] : w[i];
    }
    if (stripe)
        pf_spin_unlock(stripe);
    return n;
}
