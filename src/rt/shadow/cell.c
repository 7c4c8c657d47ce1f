#include "cell.h"
#include "access_set.h"
#include "fast_update.h"
#include "race.h"
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

/* One access on its way through the statements of a cell. */
struct visit {
    uint64_t a;
    uint64_t covered; /* bytes of a, as mask bits, that an equal or stronger statement covers */
    uint64_t race;    /* not 0: it races with a statement */
};

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS bool at_least(uint64_t s, uint64_t a) /* s >= a */
{
    return !((a & ~s) & PF_BIT_W) && !((s & ~a) & PF_BIT_A);
}

ALWAYS bool plain_read(uint64_t s) { return !(s & (PF_BIT_W | PF_BIT_A)); }

/* What is left of s when v->a comes; 0 for nothing. */
ALWAYS uint64_t relate(const uint32_t *clock, struct visit *v, uint64_t s)
{
    uint64_t both = s & v->a & PF_MASK_ALL;
    if (!both)
        return pf_stmt_settled(s) ? 0 : s;
    if (!((s ^ v->a) & PF_BITS_SID)) {
        if (!((s ^ v->a) & PF_BITS_CLK) && at_least(s, v->a)) {
            v->covered |= both;
            return s;
        }
    } else if (__builtin_expect(pf_stmt_clk(s) > clock[pf_stmt_sid(s)], 0)) {
        if (!((s | v->a) & PF_BIT_W) || (s & v->a & PF_BIT_A))
            return s;
        v->race = s;
    }
    if (!at_least(v->a, s))
        return s;
    s &= ~both;
    return s & PF_MASK_ALL ? s : 0;
}

ALWAYS bool is_covered(const struct visit *v) { return !(v->a & PF_MASK_ALL & ~v->covered); }

ALWAYS void name(struct pf_thread *t, struct visit *v, uint32_t site)
{
    if (!(v->a & PF_BITS_ID) && site != PF_NO_SITE)
        v->a |= pf_stack_id(t, site);
}

/* s and a as one statement, where they are of one kind and epoch; 0 if they cannot be one. */
ALWAYS uint64_t merge(struct pf_thread *t, uint64_t *cell, uint64_t s, uint64_t a)
{
    if (!s || ((s ^ a) & ~(PF_MASK_ALL | PF_BITS_ID)))
        return 0;
    uint64_t alone = s & ~a & PF_MASK_ALL; /* bytes that only s speaks of */
    if (!alone || !((s ^ a) & PF_BITS_ID))
        return a | alone;
    uint32_t id = pf_places_join(t, cell, s, a);
    return id ? ((s | a) & ~PF_BITS_ID) | id : 0;
}

/* Sets are shared by granules: the ids of their statements are made free of this one. False: a set is not
 * wanted enough for that, or there are no ids. */
static bool set_ready(struct pf_thread *t, const uint64_t *cell, uint64_t *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!pf_id_is_places(list[i]))
            continue;
        if (!plain_read(list[i]) || !pf_set_wanted(t)) {
            t->set_tries++;
            return false;
        }
        list[i] = pf_places_free(cell, list[i]);
        if (!list[i])
            return false;
    }
    return true;
}

struct report {
    struct pf_thread *t;
    uintptr_t granule;
    uint64_t now, then;
};

static void report_saved(void *arg)
{
    struct report *r = arg;
    pf_race_found(r->t, r->granule, r->now, r->then);
}

/* The statement, of the place that made it. */
static uint64_t for_byte(const uint64_t *cell, uint64_t s, unsigned byte)
{
    uint32_t id = pf_places_of(cell, s, byte);
    uint64_t mask = s & PF_MASK_ALL;
    for (unsigned b = 0; b < 8; b++)
        if (b != byte && s >> (PF_MASK_SHIFT + b) & 1 && pf_places_of(cell, s, b) != id)
            mask &= ~(1ull << (PF_MASK_SHIFT + b));
    return mask | (s & ~(PF_MASK_ALL | PF_BITS_ID)) | id;
}

static bool conflicts(const uint32_t *clock, uint64_t a, uint64_t s)
{
    return (s & a & PF_MASK_ALL) && ((s ^ a) & PF_BITS_SID) &&
           pf_stmt_clk(s) > clock[pf_stmt_sid(s)] && ((s | a) & PF_BIT_W) && !(s & a & PF_BIT_A);
}

/* Statements as they were before the access came; the racing ones are reported, each of them. */
static __attribute__((noinline, cold)) void report(struct pf_thread *t, struct visit *v,
                                                   uintptr_t addr, uint32_t site,
                                                   const uint64_t *stmt, unsigned n)
{
    name(t, v, site);
    for (unsigned i = 0; i < n; i++) {
        if (!conflicts(t->clock, v->a, stmt[i]) || (i && stmt[i] == stmt[i - 1]))
            continue; /* a double is told once */
        for (uint64_t both = v->a & stmt[i] & PF_MASK_ALL; both;) {
            uint64_t then = for_byte(pf_cell_of(addr), stmt[i],
                                     (unsigned)__builtin_ctzll(both >> PF_MASK_SHIFT));
            struct report r = {t, addr & ~(uintptr_t)7, v->a, then};
            pf_call_saved(report_saved, &r);
            both &= ~then;
        }
    }
}

#define WORDS (2 + PF_MORE_WORDS)

/* The words of a cell; those that do not count are 0. */
ALWAYS void words_get(uint64_t *cell, uint64_t s[WORDS])
{
    bool more = *pf_cell_more_used(cell);
    s[0] = get(&cell[0]);
    s[1] = get(&cell[1]);
    for (unsigned i = 0; i < PF_MORE_WORDS; i++)
        s[2 + i] = more ? get(&pf_cell_more(cell)[i]) : 0;
}

/* They were `s` and become `n`; in most cases one word is stored. */
ALWAYS void words_put(uint64_t *cell, const uint64_t s[WORDS], const uint64_t n[WORDS])
{
    uint64_t has = 0, *more = pf_cell_more(cell);
    bool all = !*pf_cell_more_used(cell);
    for (unsigned i = 2; i < WORDS; i++)
        has |= n[i];
    for (unsigned i = 2; has && i < WORDS; i++)
        if (all || n[i] != s[i])
            put(&more[i - 2], n[i]);
    pf_cell_more_mark(cell, has);
    for (unsigned i = 2; i-- > 0;)
        if (n[i] != s[i])
            put(&cell[i], n[i]);
}

/* Puts the named access into a cell whose statements are s0 and s1 (0 for none), and writes it back.
 * Writes go in front, for the check of later writes looks at cell[0] alone; reads go second, for
 * that of reads looks at cell[1]. */
ALWAYS void insert(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s0, uint64_t s1)
{
    uint64_t one;
    t->dirty = true;
    if ((one = merge(t, cell, s0, a))) {
        put(&cell[0], one);
        put(&cell[1], s1);
        return;
    }
    if ((one = merge(t, cell, s1, a))) {
        put(&cell[1], one);
        put(&cell[0], s0);
        return;
    }
    uint64_t *front = a & PF_BIT_W ? &s0 : &s1, *back = a & PF_BIT_W ? &s1 : &s0;
    if (*front && *back) {
        /* Two readers: often the first of many, in an array of such. */
        uint64_t other = *front;
        one = plain_read(other) && plain_read(a) && set_ready(t, cell, &other, 1)
                  ? pf_set_of_two(t, other, a)
                  : 0;
        if (one) {
            a = one;
        } else {
            pf_cell_more_begin(cell, *front);
            pf_cell_crowded(t);
        }
    } else if (*front) {
        *back = *front;
    }
    *front = a;
    put(&cell[0], s0);
    put(&cell[1], s1);
}

/* A cell with at most two statements. False: others came in between, look again. */
ALWAYS bool access_two(struct pf_thread *t, struct visit *v, uint64_t *cell, uint64_t s0,
                       uint64_t s1, uint32_t site)
{
    uint64_t n0 = relate(t->clock, v, s0), n1 = relate(t->clock, v, s1);
    if (is_covered(v)) {
        if (n0 != s0)
            put(&cell[0], n0);
        /* Let the next read of this find it where it looks. */
        if (!n1 && !(v->a & PF_BIT_W))
            n1 = n0;
        if (n1 != s1)
            put(&cell[1], n1);
        return true;
    }
    name(t, v, site); /* which takes its time, when it is the first */
    if (get(&cell[0]) != s0 || get(&cell[1]) != s1)
        return false;
    if (!(s0 | s1))
        return pf_cell_first(cell, v->a);
    if (n1 && !((n0 ^ n1) << 8)) { /* such a double */
        n0 |= n1;
        n1 = 0;
    }
    insert(t, v->a, cell, n0, n1);
    return true;
}

/* Writes the statements of list[0..n), n <= WORDS, into the words: `first` in front if there is one. */
static void spread(uint64_t *cell, const uint64_t *list, unsigned n, uint64_t first, bool write)
{
    uint64_t out[WORDS] = {0}, was[WORDS];
    unsigned k = 0, front = write ? 0 : 1;
    if (first)
        out[front] = first;
    for (unsigned i = 0; i < n && !out[0]; i++) /* so that reads find no writes among the others */
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

/* The statements that one access races with, for the report. */
struct racing {
    unsigned n;
    uint64_t stmt[64]; /* more than these at once are not told */
};

/* Sends the access through list[0..*n) and drops what it replaces; returns the named access if it
 * must be added still, 0 if it is covered or became part of another one. */
static uint64_t send(struct pf_thread *t, struct visit *v, uint64_t *cell, uint64_t *list,
                     unsigned *n, uint32_t site, struct racing *racing)
{
    unsigned m = 0;
    for (unsigned i = 0; i < *n; i++) {
        v->race = 0;
        uint64_t s = relate(t->clock, v, list[i]);
        if (v->race && racing->n < sizeof racing->stmt / sizeof *racing->stmt)
            racing->stmt[racing->n++] = v->race;
        if (s)
            list[m++] = s;
    }
    *n = m;
    if (is_covered(v))
        return 0;
    name(t, v, site);
    t->dirty = true;
    for (unsigned i = 0; i < m; i++) {
        uint64_t one = merge(t, cell, list[i], v->a);
        if (one) {
            /* It takes the place of the access: in front. */
            list[i] = list[--*n];
            return one;
        }
    }
    return v->a;
}

/* A cell whose words are all taken is about to have one more statement: it gets a record. */
static __attribute__((noinline)) void overflow(struct pf_thread *t, uint64_t *cell,
                                               const uint64_t list[WORDS], uint64_t a)
{
    bool write = a & PF_BIT_W; /* the newest write stays in front of the record */
    uint64_t reads[WORDS - 1];
    for (unsigned i = 1; i < WORDS; i++)
        reads[i - 1] = list[i];
    uint64_t ref = plain_read(a) && set_ready(t, cell, reads, WORDS - 1)
                       ? pf_set_of_reads(t, reads, WORDS - 1, a)
                       : 0;
    if (!ref)
        ref = write ? pf_set_private_of(list, WORDS, 0) : pf_set_private_of(list + 1, WORDS - 1, a);
    pf_cell_more_mark(cell, 0);
    put(&cell[1], ref);
    put(&cell[0], write ? a : list[0]);
}

/* A word, but not n[in_front], beside others or `old` needless: WORDS, if there is none. */
static unsigned needless_word(const uint64_t n[WORDS], uint64_t old, unsigned in_front)
{
    for (unsigned i = 0; i < WORDS; i++) {
        bool needless = pf_stmt_needless(n[i], old);
        for (unsigned k = 0; k < WORDS; k++)
            needless |= k != i && pf_stmt_needless(n[i], n[k]);
        if (needless && i != in_front)
            return i;
    }
    return WORDS;
}

/* A cell with statements in any of its words, which are left in s. False: it has a record by now, nothing is done. */
static bool access_all(struct pf_thread *t, uint64_t *cell, struct visit *v, uint32_t site,
                       uint64_t s[WORDS])
{
    uint64_t n[WORDS];
    words_get(cell, s);
    if (pf_is_ref(s[1])) /* it must not move: whoever holds the stripe may end the record */
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        n[i] = relate(t->clock, v, s[i]);
    bool write = v->a & PF_BIT_W;
    if (is_covered(v)) {
        if (!n[1] && !write) /* let the next read of this find it where it looks */
            n[1] = n[0];
    } else {
        name(t, v, site);
        t->dirty = true;
        if (n[1] && !((n[0] ^ n[1]) << 8)) { /* such a double */
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
        if (add) { /* it stands in front; what was there moves */
            uint64_t old = n[!write];
            unsigned k = 0;
            n[!write] = add;
            while (old && k < WORDS && n[k])
                k++;
            if (k == WORDS)
                k = needless_word(n, old, !write);
            if (k == WORDS) {
                n[!write] = old;
                overflow(t, cell, n, add);
                return true;
            }
            if (old)
                n[k] = old;
        }
    }
    words_put(cell, s, n);
    return true;
}

/* t's reads of the bytes of s, its statement in the interned set `ref`, need nothing more under it; if
 * these are all of the granule, any read passes at once. */
static void share(struct pf_thread *t, uint64_t ref, uint64_t s)
{
    if (pf_rt.oracle)
        return;
    t->met[ref % PF_MET] = (struct pf_met){ref, s};
    if ((s & PF_MASK_ALL) == PF_MASK_ALL)
        __pf_tls.shared = ref;
}

/* cell[1] refers to a set of plain reads and a is a plain read. */
static bool read_in_set(struct pf_thread *t, struct visit *v, uint64_t *cell, uint64_t s0,
                        uint64_t s1, uint32_t site)
{
    uint64_t n0 = relate(t->clock, v, s0);
    name(t, v, site);
    uint64_t to = pf_set_add(t, s1, v->a);
    if (!to)
        return false;
    t->dirty = true;
    if (n0 != s0)
        put(&cell[0], n0);
    if (to != s1)
        put(&cell[1], to);
    if (pf_is_ref(to))
        share(t, to, v->a);
    return true;
}

/* cell[1] was s1, which refers to a record that must change. The stripe is held; but who needs no
 * record takes no stripe, and may put a statement of its own there at any time. */
static void change_record(struct pf_thread *t, struct visit *v, uint64_t *cell, uint64_t s1,
                          uint32_t site, struct racing *racing)
{
    uint64_t s0 = get(&cell[0]);
    struct pf_set *set = pf_set_private(&s1); /* a copy, if it was shared */
    if (!set) { /* out of memory, which is counted: forget rather than guess */
        put(&cell[1], 0);
        return;
    }
    uint64_t was =
        s1; /* goes when the cell refers to it no more: who holds no stripe may still look */
    if (s0 && set->n < pf_set_room(set)) /* all in one list; there is room for one more by design */
        set->stmt[set->n++] = s0;
    unsigned n = set->n;
    uint64_t a = send(t, v, cell, set->stmt, &n, site, racing);
    set->n = (uint16_t)n;
    if (n + !!a <= WORDS) {
        uint64_t few[WORDS];
        for (unsigned i = 0; i < n; i++)
            few[i] = set->stmt[i];
        spread(cell, few, n, a, a & PF_BIT_W);
        pf_set_drop(was);
        return;
    }
    if (a & PF_BIT_W) {
        s0 = a; /* the newest write stands in front */
    } else {
        s0 = set->stmt[--set->n];
        if (a)
            set = pf_set_push(set, &s1, a);
    }
    pf_set_kinds(set);
    put(&cell[0], s0);
    s1 = pf_set_with_room(set, s1);
    put(&cell[1], s1);
    if (s1 != was)
        pf_set_drop(was);
}

/* Is there one statement in the set that covers all of a? */
static bool covered_in_set(struct pf_thread *t, uint64_t ref, uint64_t a)
{
    const struct pf_set *set = pf_set_at(ref);
    for (unsigned i = 0; i < set->n; i++) {
        uint64_t s = set->stmt[i];
        if (pf_stmt_covers(s, a)) {
            share(t, ref, s);
            return true;
        }
    }
    return false;
}

/* Everything that needs more than the words of the cell, or a lock. */
static __attribute__((noinline)) void access_slow(struct pf_thread *t, uintptr_t addr, uint64_t a,
                                                  uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), s0 = get(&cell[0]), s1 = get(&cell[1]);
    struct visit v = {a, 0, 0};
    if (!pf_rt.strict && pf_is_ref(s1) && pf_set_stays(cell, s1) && plain_read(a)) {
        /* Sets can have a member for each thread: what was found out lately comes first. */
        if (pf_cell_met(t, s1, a))
            return;
        name(t, &v, site);
        if (!pf_set_added(t, s1, v.a) && covered_in_set(t, s1, a))
            return;
        if (read_in_set(t, &v, cell, s0, s1, site)) {
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
        if (pf_is_ref(s1)) {
            change_record(t, &v, cell, s1, site, &racing);
            done = true;
        } else {
            done = access_all(t, cell, &v, site, racing.stmt);
            racing.n = v.race ? WORDS : 0;
        }
    }
    pf_spin_unlock(stripe);
    if (racing.n)
        report(t, &v, addr, site, racing.stmt, racing.n);
}

void pf_cell_access(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), before[WORDS];
    struct visit v = {a, 0, 0};
    unsigned n = 0;
    for (bool done = false; !done;) {
        uint64_t s0 = before[0] = get(&cell[0]), s1 = before[1] = get(&cell[1]);
        v.covered = v.race = 0;
        if (__builtin_expect(pf_is_ref(s1) | pf_rt.strict, 0)) {
            access_slow(t, addr, v.a, site);
            return;
        }
        if (*pf_cell_more_used(cell)) {
            n = WORDS;
            done = access_all(t, cell, &v, site, before);
        } else {
            n = 2;
            done = access_two(t, &v, cell, s0, s1, site);
        }
    }
    if (__builtin_expect(v.race != 0, 0))
        report(t, &v, addr, site, before, n);
}

void pf_cell_look(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), list[64];
    if (!(get(&cell[0]) | get(&cell[1])))
        return;
    unsigned n = pf_cell_list(cell, list, 64);
    struct visit v = {a, 0, 0};
    for (unsigned i = 0; i < n; i++)
        if (conflicts(t->clock, a, list[i])) {
            report(t, &v, addr, site, list, n);
            return;
        }
    for (unsigned i = 0; i < 2; i++) { /* those in a record stay */
        uint64_t s = get(&cell[i]);
        if (s && !pf_is_ref(s) && pf_stmt_inside(s, a) && !(s & ~a & PF_BIT_W) &&
            !(a & ~s & PF_BIT_A) && pf_stmt_known(t->clock, s))
            put(&cell[i], 0);
    }
}

static void clear_one(uint64_t *cell)
{
    uint64_t s1 = get(&cell[1]);
    struct pf_spin *stripe = pf_is_ref(s1) ? pf_cell_stripe(cell) : NULL;
    if (__builtin_expect(stripe != NULL, 0)) {
        pf_spin_lock(stripe);
        s1 = get(&cell[1]);
    }
    if (get(&cell[0]) | s1) {
        put(&cell[0], 0);
        put(&cell[1], 0);
    }
    pf_cell_more_mark(cell, 0);
    if (__builtin_expect(stripe != NULL, 0)) {
        if (pf_is_ref(s1))
            pf_set_drop(s1);
        pf_spin_unlock(stripe);
    }
}

/* Four cells at once, as long as no record is behind them. */
static inline bool clear_four(uint64_t *cell)
{
    uint64_t any = 0;
    uint32_t marks;
    for (unsigned i = 0; i < 8; i += 2) {
        uint64_t s1 = get(&cell[i + 1]);
        if (__builtin_expect(pf_is_ref(s1), 0))
            return false;
        any |= get(&cell[i]) | s1;
    }
    for (unsigned i = 0; any && i < 8; i++)
        put(&cell[i], 0);
    __builtin_memcpy(&marks, pf_cell_more_used(cell), sizeof marks);
    for (unsigned i = 0; marks && i < 8; i += 2)
        pf_cell_more_mark(&cell[i], 0);
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
    if (pf_is_ref(
            w[1])) { /* a record is its cell's own, and there, as long as the stripe is held */
        stripe = pf_cell_stripe(cell);
        pf_spin_lock(stripe);
        words_get(cell, w);
    }
    for (unsigned i = 0; i < WORDS; i++) {
        const struct pf_set *set = pf_is_ref(w[i]) ? pf_set_at(w[i]) : NULL;
        for (unsigned k = 0; w[i] && n < max && k < (set ? set->n : 1u); k++)
            out[n++] = set ? set->stmt[k] : w[i];
    }
    if (stripe)
        pf_spin_unlock(stripe);
    return n;
}
