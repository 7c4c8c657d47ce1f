#include "cell.h"
#include "idpair.h"
#include "race.h"
#include "rt.h"
#include "set.h"
#include "spin.h"
#include "stack.h"

#define STRIPES 1024

static struct {
    struct pf_spin lock;
    char pad[60];
} stripes[STRIPES];

static struct pf_spin *stripe_of(const uint64_t *cell)
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

/* What is left of s when v->a comes; 0 for nothing. */
ALWAYS uint64_t relate(const uint32_t *clock, struct visit *v, uint64_t s)
{
    uint64_t both = s & v->a & PF_MASK_ALL;
    if (!both)
        return s;
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
ALWAYS uint64_t merge(uint64_t s, uint64_t a)
{
    if (!s || ((s ^ a) & ~(PF_MASK_ALL | PF_BITS_ID)))
        return 0;
    uint64_t alone = s & ~a & PF_MASK_ALL; /* bytes that only s speaks of */
    if (!alone || !((s ^ a) & PF_BITS_ID))
        return a | alone;
    uint64_t id = pf_idpair(pf_stmt_id(s), (unsigned)(alone >> PF_MASK_SHIFT), pf_stmt_id(a));
    return id ? ((s | a) & ~PF_BITS_ID) | id : 0;
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

static uint64_t for_byte(uint64_t s, unsigned byte) /* the statement, of the place that made it */
{
    uint32_t id = pf_idpair_at(pf_stmt_id(s), byte);
    for (unsigned b = 0; b < 8; b++)
        if (pf_idpair_at(pf_stmt_id(s), b) != id)
            s &= ~(1ull << (PF_MASK_SHIFT + b));
    return (s & ~PF_BITS_ID) | id;
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
        if (!conflicts(t->clock, v->a, stmt[i]))
            continue;
        for (uint64_t both = v->a & stmt[i] & PF_MASK_ALL; both;) {
            uint64_t then = for_byte(stmt[i], (unsigned)__builtin_ctzll(both >> PF_MASK_SHIFT));
            struct report r = {t, addr & ~(uintptr_t)7, v->a, then};
            pf_call_saved(report_saved, &r);
            both &= ~then;
        }
    }
}

/* Puts the named access into a cell whose statements are s0 and s1 (direct, 0 for none) and writes
 * it back. Writes go in front, for the check of later writes looks at cell[0] alone; reads at the
 * back, for that of reads looks at cell[1]. */
ALWAYS void insert(struct pf_thread *t, uint64_t a, uint64_t *cell, uint64_t s0, uint64_t s1)
{
    uint64_t one;
    t->dirty = true;
    if ((one = merge(s0, a))) {
        put(&cell[0], one);
        put(&cell[1], s1);
    } else if ((one = merge(s1, a))) {
        put(&cell[1], one);
        put(&cell[0], s0);
    } else if (a & PF_BIT_W) {
        if (s0 && s1)
            s1 = pf_set_private2(s0, s1);
        else if (s0)
            s1 = s0;
        put(&cell[1], s1);
        put(&cell[0], a);
    } else {
        if (s0 && s1)
            a = pf_set_of_two(t, s1, a);
        else if (s1)
            s0 = s1;
        put(&cell[0], s0);
        put(&cell[1], a);
    }
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
    if ((v->a & PF_MASK_ALL) == PF_MASK_ALL && pf_is_ref(to) && !pf_rt.oracle)
        __pf_tls.shared = to; /* from now on any read under this set passes at once */
    return true;
}

#define RACING_MAX 64 /* statements that one access is reported to race with */

/* cell[1] refers to a record that must change. The stripe is held. Returns how many statements,
 * put into `racing`, may be in a race with the access. */
static unsigned change_record(struct pf_thread *t, struct visit *v, uint64_t *cell, uint32_t site,
                              uint64_t racing[RACING_MAX])
{
    uint64_t s0 = get(&cell[0]), s1 = get(&cell[1]);
    uint64_t n0 = relate(t->clock, v, s0);
    unsigned found = 0;
    racing[found++] = s0;
    struct pf_set *set = pf_set_private(&s1); /* a copy, if it was shared */
    if (!set) { /* out of memory, which is counted: forget rather than guess */
        put(&cell[1], 0);
        return found;
    }
    unsigned n = 0;
    for (unsigned i = 0; i < set->n; i++) {
        uint64_t before = v->race, s = set->stmt[i];
        v->race = 0;
        s = relate(t->clock, v, s);
        if (v->race && found < RACING_MAX)
            racing[found++] = v->race;
        v->race |= before;
        if (s)
            set->stmt[n++] = s;
    }
    set->n = (uint16_t)n;
    if (!is_covered(v)) {
        name(t, v, site);
        t->dirty = true;
        uint64_t add = v->a, one = merge(n0, add);
        if (one) {
            n0 = one;
            add = 0;
        }
        for (unsigned i = 0; i < n && add; i++)
            if ((one = merge(set->stmt[i], add))) {
                set->stmt[i] = one;
                add = 0;
            }
        if (add & PF_BIT_W) { /* the newest write stands in front */
            uint64_t old = n0;
            n0 = add;
            add = old;
        }
        if (add)
            set = pf_set_push(set, &s1, add);
    }
    if (set->n <= 1) { /* back to a plain cell */
        uint64_t last = set->n ? set->stmt[0] : 0;
        pf_set_drop(s1);
        s1 = last;
    }
    put(&cell[0], n0);
    put(&cell[1], s1);
    return found;
}

/* Is there one statement in the record that covers all of a? Read without a lock: a record that
 * changes meanwhile can at most hide this access from the shadow for this once. */
static bool covered_in_record(uint64_t ref, uint64_t a)
{
    const struct pf_set *set = pf_set_at(ref);
    unsigned n = __atomic_load_n(&set->n, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < n && i < pf_set_room(set); i++) {
        uint64_t s = get(&set->stmt[i]);
        if (!((s ^ a) & (PF_BITS_SID | PF_BITS_CLK)) && at_least(s, a) &&
            !(a & PF_MASK_ALL & ~s))
            return true;
    }
    return false;
}

/* A cell without a record. */
ALWAYS void access_direct(struct pf_thread *t, struct visit *v, uint64_t *cell, uint64_t s0,
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
        return;
    }
    name(t, v, site);
    if (n1 && !((n0 ^ n1) << 8)) { /* such a double */
        n0 |= n1;
        n1 = 0;
    }
    insert(t, v->a, cell, n0, n1);
}

/* Everything that needs more than two words, or a lock. */
static __attribute__((noinline)) void access_slow(struct pf_thread *t, uintptr_t addr, uint64_t a,
                                                  uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), s0 = get(&cell[0]), s1 = get(&cell[1]);
    struct visit v = {a, 0, 0};
    if (!pf_rt.strict && pf_is_ref(s1)) {
        if (covered_in_record(s1, a))
            return;
        if (pf_set_at(s1)->interned && !(a & (PF_BIT_W | PF_BIT_A)) &&
            read_in_set(t, &v, cell, s0, s1, site)) {
            if (v.race)
                report(t, &v, addr, site, &s0, 1);
            return;
        }
    }
    struct pf_spin *stripe = stripe_of(cell);
    pf_spin_lock(stripe);
    uint64_t racing[RACING_MAX];
    unsigned n = 2;
    racing[0] = get(&cell[0]);
    racing[1] = get(&cell[1]);
    if (pf_is_ref(racing[1]))
        n = change_record(t, &v, cell, site, racing);
    else
        access_direct(t, &v, cell, racing[0], racing[1], site);
    pf_spin_unlock(stripe);
    if (v.race)
        report(t, &v, addr, site, racing, n);
}

void pf_cell_access(struct pf_thread *t, uintptr_t addr, uint64_t a, uint32_t site)
{
    uint64_t *cell = pf_cell_of(addr), s0 = get(&cell[0]), s1 = get(&cell[1]);
    if (__builtin_expect(pf_is_ref(s1) | pf_rt.strict, 0)) {
        access_slow(t, addr, a, site);
        return;
    }
    struct visit v = {a, 0, 0};
    access_direct(t, &v, cell, s0, s1, site);
    if (__builtin_expect(v.race != 0, 0)) {
        struct visit copy = v; /* so that v itself stays in registers */
        uint64_t before[] = {s0, s1};
        report(t, &copy, addr, site, before, 2);
    }
}

void pf_cell_clear(uint64_t *from, uint64_t *to)
{
    for (; from < to; from += 2) {
        uint64_t s1 = get(&from[1]);
        if (__builtin_expect(pf_is_ref(s1), 0)) {
            pf_spin_lock(stripe_of(from));
            s1 = get(&from[1]);
            if (pf_is_ref(s1))
                pf_set_drop(s1);
            put(&from[0], 0);
            put(&from[1], 0);
            pf_spin_unlock(stripe_of(from));
        } else if (get(&from[0]) | s1) {
            put(&from[0], 0);
            put(&from[1], 0);
        }
    }
}

unsigned pf_cell_list(const uint64_t *cell, uint64_t *out, unsigned max)
{
    unsigned n = 0;
    uint64_t s0 = get(&cell[0]), s1 = get(&cell[1]);
    if (s0 && n++ < max)
        out[n - 1] = s0;
    if (pf_is_ref(s1)) {
        const struct pf_set *set = pf_set_at(s1);
        for (unsigned i = 0; i < set->n; i++)
            if (n++ < max)
                out[n - 1] = set->stmt[i];
    } else if (s1 && n++ < max) {
        out[n - 1] = s1;
    }
    return n;
}
