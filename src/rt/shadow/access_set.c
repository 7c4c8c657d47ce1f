#include "access_set.h"
#include "cell.h"
#include "hash_index.h"
#include "site_pair.h"
#include "spin.h"
#include "sys.h"

#define SETS_MAX (1u << 19)
#define SET_LIMIT 256 /* members of an interned set; more are kept privately */
#define POPULAR 4
#define MEMO_BITS 6

struct pf_memo { /* from + with = to */
    uint64_t from, with, to;
};

static struct pf_spin lock;
static struct pf_index index;

void pf_set_lock(void) { pf_spin_lock(&lock); }
void pf_set_unlock(void) { pf_spin_unlock(&lock); }

static uint64_t ref_of(const struct pf_set *s)
{
    if (!s)
        return 0;
    uint64_t name = pf_store_name(s), unknown = PF_BITS_SID | PF_BITS_CLK >> 33 << 33;
    return unknown | (name & 0xffffff) | PF_BIT_W | (name >> 24) << 25;
}

static struct pf_set *set_new(unsigned n)
{
    unsigned order = 0;
    while ((8u << order) - 1 < n)
        order++;
    struct pf_set *s = pf_store_take(order);
    if (s) {
        s->n = (uint16_t)n;
        s->order = (uint8_t)order;
        s->interned = 0;
        s->uses = 0;
    }
    return s;
}

bool pf_set_yields(const uint32_t *clock, const uint64_t *cell, uint64_t ref, uint64_t a)
{
    if (!pf_set_stays(cell, ref))
        return false;
    const struct pf_set *set = pf_set_at(ref);
    for (unsigned i = 0; i < set->n; i++)
        if (pf_stmt_clk(set->stmt[i]) > clock[pf_stmt_sid(set->stmt[i])] ||
            set->stmt[i] & ~a & PF_MASK_ALL)
            return false;
    return true;
}

void pf_set_kinds(struct pf_set *s)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < s->n; i++)
        kinds |= PF_KIND(s->stmt[i]);
    s->kinds = (uint8_t)kinds;
}

/* A private copy of list[0..n) with room for `room` statements in all. */
static struct pf_set *private_copy(const uint64_t *list, unsigned n, unsigned room)
{
    struct pf_set *s = set_new(room);
    if (!s)
        return NULL;
    s->n = (uint16_t)n;
    for (unsigned i = 0; i < n; i++)
        s->stmt[i] = list[i];
    pf_set_kinds(s);
    return s;
}

uint64_t pf_set_private_of(const uint64_t *list, unsigned n, uint64_t more)
{
    struct pf_set *s = private_copy(list, n, n + 3);
    if (s && more) {
        s->stmt[s->n++] = more;
        s->kinds |= PF_KIND(more);
    }
    return ref_of(s);
}

struct pf_set *pf_set_private(uint64_t *ref)
{
    struct pf_set *s = pf_set_at(*ref);
    if (!s->interned)
        return s;
    s = private_copy(s->stmt, s->n, s->n + 3u);
    if (s)
        *ref = ref_of(s);
    return s;
}

struct pf_set *pf_set_push(struct pf_set *s, uint64_t *ref, uint64_t stmt)
{
    if (s->n < pf_set_room(s)) {
        s->stmt[s->n] = stmt;
        s->kinds |= PF_KIND(stmt);
        __atomic_store_n(&s->n, (uint16_t)(s->n + 1), __ATOMIC_RELEASE);
    }
    *ref = pf_set_with_room(s, *ref);
    return pf_set_at(*ref);
}

uint64_t pf_set_with_room(struct pf_set *s, uint64_t ref)
{
    if (s->n + 2u <= pf_set_room(s))
        return ref;
    struct pf_set *c = private_copy(s->stmt, s->n, s->n + 2u);
    return c ? ref_of(c) : ref;
}

void pf_set_drop(uint64_t ref)
{
    struct pf_set *s = pf_set_at(ref);
    if (!s->interned)
        pf_store_give(s, s->order);
}

#define DEBT_OF_ONE 8 /* a set must be used so often to have paid */

static bool may_make(struct pf_thread *t)
{
    bool wanted = pf_set_wanted(t);
    if (t->set_debt < PF_SET_DEBT_MAX)
        t->set_debt += DEBT_OF_ONE;
    else
        t->set_tries++;
    return wanted;
}

static void pay_back(struct pf_thread *t)
{
    if (t->set_debt)
        t->set_debt--;
}

/* A cell is about to hold `to`; sets that many cells hold are worth extending. */
static uint64_t use(uint64_t to)
{
    if (pf_is_ref(to)) {
        struct pf_set *s = pf_set_at(to);
        uint32_t n = __atomic_load_n(&s->uses, __ATOMIC_RELAXED);
        if (n < POPULAR)
            __atomic_store_n(&s->uses, n + 1, __ATOMIC_RELAXED);
    }
    return to;
}

struct list {
    const uint64_t *stmt;
    unsigned n;
};

static bool same(uint32_t item, const void *key)
{
    const struct pf_set *s = pf_store_at(item);
    const struct list *l = key;
    unsigned k = 0;
    while (s->n == l->n && k < l->n && s->stmt[k] == l->stmt[k])
        k++;
    return k == l->n;
}

/* The set of the n sorted statements, new if there was none. NULL when there are too many. */
static struct pf_set *intern(const uint64_t *stmt, unsigned n)
{
    struct list key = {stmt, n};
    uint32_t hash = n;
    for (unsigned i = 0; i < n; i++)
        hash = pf_index_hash(stmt[i], hash);
    uint32_t name = pf_index_find(&index, hash, same, &key);
    if (name)
        return pf_store_at(name);
    struct pf_set *s = NULL;
    pf_spin_lock(&lock);
    if ((name = pf_index_find(&index, hash, same, &key))) {
        s = pf_store_at(name);
    } else if (index.used < SETS_MAX && (s = set_new(n))) {
        for (unsigned k = 0; k < n; k++)
            s->stmt[k] = stmt[k];
        s->interned = 1;
        if (!pf_index_add(&index, hash, pf_store_name(s))) {
            pf_store_give(s, s->order);
            s = NULL;
        }
    }
    pf_spin_unlock(&lock);
    return s;
}

static struct pf_memo *memo_of(struct pf_thread *t, uint64_t from, uint64_t with)
{
    if (!t->memo) {
        t->memo = pf_store_take(5); /* 2 KB */
        if (!t->memo)
            return NULL;
        pf_zero(t->memo, sizeof *t->memo << MEMO_BITS);
    }
    uint64_t h = (from ^ with >> 7) * 0x9e3779b97f4a7c15ull;
    return &t->memo[h >> (64 - MEMO_BITS)];
}
_Static_assert((sizeof(struct pf_memo) << MEMO_BITS) <= 64 << 5, "the memo fits its block");

/* Puts a in its place among the sorted out[0..n). */
static void sort_in(uint64_t *out, unsigned n, uint64_t a)
{
    for (; n > 0 && out[n - 1] > a; n--)
        out[n] = out[n - 1];
    out[n] = a;
}

/* The plain reads of `stmt` (n of them) with a added, as an interned set or, if a is all that
 * remains, as a itself. *again says whether t was a member already, in an earlier epoch. */
static uint64_t add(struct pf_thread *t, const uint64_t *stmt, unsigned n, uint64_t a, bool *again)
{
    uint64_t out[SET_LIMIT + 1];
    unsigned m = 0;
    *again = false;
    if (n >= SET_LIMIT)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t s = stmt[i], both = s & a & PF_MASK_ALL;
        bool mine = !((s ^ a) & PF_BITS_SID);
        if (!((s ^ a) &
              ~(PF_MASK_ALL | PF_BITS_ID))) { /* of this epoch: one with a, if it can be */
            uint64_t alone = s & ~a & PF_MASK_ALL;
            unsigned mask = (unsigned)(alone >> PF_MASK_SHIFT);
            uint64_t id = alone ? pf_idpair(pf_stmt_id(s), mask, pf_stmt_id(a)) : pf_stmt_id(a);
            if (id) {
                a = ((a | alone) & ~PF_BITS_ID) | id;
                continue;
            }
        }
        if (mine && pf_stmt_clk(s) != t->clk)
            *again = true;
        if (mine ? pf_stmt_clk(s) != t->clk : pf_stmt_clk(s) <= t->clock[pf_stmt_sid(s)])
            s &= ~both;
        if (s & PF_MASK_ALL)
            out[m++] = s;
    }
    if (m == 0)
        return a;
    sort_in(out, m, a);
    return ref_of(intern(out, m + 1));
}

uint64_t pf_set_of_reads(struct pf_thread *t, const uint64_t *list, unsigned n, uint64_t a)
{
    uint64_t out[8];
    if (!may_make(t) || n + 1 > sizeof out / sizeof *out)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        if (list[i] & (PF_BIT_W | PF_BIT_A))
            return 0;
        sort_in(out, i, list[i]);
    }
    sort_in(out, n, a);
    return use(ref_of(intern(out, n + 1)));
}

uint64_t pf_set_of_two(struct pf_thread *t, uint64_t s, uint64_t a)
{
    bool again;
    struct pf_memo *m = memo_of(t, s, a);
    if (m && m->from == s && m->with == a) {
        pay_back(t);
        return use(m->to);
    }
    if (!may_make(t))
        return 0;
    uint64_t to = add(t, &s, 1, a, &again);
    if (!to)
        return 0;
    if (m)
        *m = (struct pf_memo){s, a, to};
    return use(to);
}

bool pf_set_added(struct pf_thread *t, uint64_t ref, uint64_t a)
{
    const struct pf_memo *m = memo_of(t, ref, a);
    return m && m->from == ref && m->with == a;
}

uint64_t pf_set_add(struct pf_thread *t, uint64_t ref, uint64_t a)
{
    bool again;
    struct pf_memo *m = memo_of(t, ref, a);
    if (m && m->from == ref && m->with == a) {
        pay_back(t);
        return use(m->to);
    }
    if (!may_make(t))
        return 0;
    struct pf_set *s = pf_set_at(ref);
    uint64_t to = add(t, s->stmt, s->n, a, &again);
    if (!to || (again && s->uses < POPULAR && pf_is_ref(to)))
        return 0;
    if (m)
        *m = (struct pf_memo){ref, a, to};
    return use(to);
}
