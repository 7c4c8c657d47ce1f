/*
 * access_set.c - see access_set.h.
 *
 * Read sets are interned in one hash index with lock-free lookup. A thread memoises its recent
 * additions (set + read = set), because threads that walk along a shared array make the same
 * addition for every granule. Reference counts for read sets were rejected: every change of a cell
 * would have to update them.
 */
#include "access_set.h"
#include "cell_words.h"
#include "hash_index.h"
#include "site_pair.h"
#include "spin.h"
#include "sys.h"

#define READ_SETS_MAX (1u << 19) /* of a process */
#define READ_SET_RECORDS_MAX 256 /* larger sets become spills */
static struct pf_spin lock;
static struct pf_hash_index index;

void pf_read_set_lock(void) { pf_spin_lock(&lock); }
void pf_read_set_unlock(void) { pf_spin_unlock(&lock); }

/* The reference to a set; 0 for NULL. */
static uint64_t ref_of(const struct pf_access_set *s)
{
    if (!s)
        return 0;
    /* see the drawing in access_set.h */
    uint64_t handle = pf_store_handle(s), unseen_epoch = PF_BITS_SID | PF_BITS_CLK >> 33 << 33;
    return unseen_epoch | (handle & 0xffffff) | PF_BIT_W | (handle >> 24) << 25;
}

static struct pf_access_set *set_new(unsigned n)
{
    unsigned order = 0;
    while ((8u << order) - 1 < n)
        order++;
    struct pf_access_set *s = pf_store_alloc(order);
    if (s) {
        s->n = (uint16_t)n;
        s->order = (uint8_t)order;
        s->interned = 0;
        s->uses = 0;
    }
    return s;
}

bool pf_read_set_replaceable(const uint32_t *clock, const uint64_t *cell, uint64_t ref, uint64_t a)
{
    if (!pf_ref_is_read_set(cell, ref))
        return false;
    const struct pf_access_set *set = pf_access_set_at(ref);
    for (unsigned i = 0; i < set->n; i++)
        if (pf_access_clk(set->record[i]) > clock[pf_access_sid(set->record[i])] ||
            set->record[i] & ~a & PF_MASK_ALL)
            return false;
    return true;
}

void pf_spill_update_kinds(struct pf_access_set *s)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < s->n; i++)
        kinds |= PF_ACCESS_KIND(s->record[i]);
    s->kinds = (uint8_t)kinds;
}

/* A spill with a copy of list[0..n), with room for at least `room` records. */
static struct pf_access_set *spill_copy(const uint64_t *list, unsigned n, unsigned room)
{
    struct pf_access_set *s = set_new(room);
    if (!s)
        return NULL;
    s->n = (uint16_t)n;
    for (unsigned i = 0; i < n; i++)
        s->record[i] = list[i];
    pf_spill_update_kinds(s);
    return s;
}

uint64_t pf_spill_new(const uint64_t *list, unsigned n, uint64_t more)
{
    struct pf_access_set *s = spill_copy(list, n, n + 3); /* `more`, and two free */
    if (s && more) {
        s->record[s->n++] = more;
        s->kinds |= PF_ACCESS_KIND(more);
    }
    return ref_of(s);
}

struct pf_access_set *pf_spill_for_update(uint64_t *ref)
{
    struct pf_access_set *s = pf_access_set_at(*ref);
    if (!s->interned)
        return s;
    s = spill_copy(s->record, s->n, s->n + 3u); /* so that the next push needs no copy */
    if (s)
        *ref = ref_of(s);
    return s;
}

struct pf_access_set *pf_spill_push(struct pf_access_set *s, uint64_t *ref, uint64_t record)
{
    if (s->n < pf_access_set_capacity(s)) {
        s->record[s->n] = record;
        s->kinds |= PF_ACCESS_KIND(record);
        __atomic_store_n(&s->n, (uint16_t)(s->n + 1), __ATOMIC_RELEASE);
    }
    *ref = pf_spill_reserve(s, *ref);
    return pf_access_set_at(*ref);
}

uint64_t pf_spill_reserve(struct pf_access_set *s, uint64_t ref)
{
    if (s->n + 2u <= pf_access_set_capacity(s))
        return ref;
    struct pf_access_set *c = spill_copy(s->record, s->n, s->n + 2u);
    return c ? ref_of(c) : ref;
}

void pf_spill_free(uint64_t ref)
{
    struct pf_access_set *s = pf_access_set_at(ref);
    if (!s->interned)
        pf_store_free(s, s->order);
}

#define DEBT_PER_SET 8 /* a read set has paid off after this many uses */

/* Decides whether t may make a read set now, and adds its cost to the debt, or counts the
 * try. */
static bool may_make_read_set(struct pf_thread *t)
{
    bool wanted = pf_read_set_wanted(t);
    if (t->shadow.set_debt < PF_READ_SET_DEBT_MAX)
        t->shadow.set_debt += DEBT_PER_SET;
    else
        t->shadow.set_tries++;
    return wanted;
}

static void pay_back(struct pf_thread *t)
{
    if (t->shadow.set_debt)
        t->shadow.set_debt--;
}

/* Counts that a cell is about to refer to `to`. Read sets that many cells use are worth
 * extending. */
static uint64_t count_use(uint64_t to)
{
    if (pf_word_is_ref(to)) {
        struct pf_access_set *s = pf_access_set_at(to);
        uint32_t n = __atomic_load_n(&s->uses, __ATOMIC_RELAXED);
        if (n < PF_READ_SET_POPULAR)
            __atomic_store_n(&s->uses, n + 1, __ATOMIC_RELAXED);
    }
    return to;
}

struct list {
    const uint64_t *record;
    unsigned n;
};

static bool same(uint32_t item, const void *key)
{
    const struct pf_access_set *s = pf_store_at(item);
    const struct list *l = key;
    unsigned k = 0;
    while (s->n == l->n && k < l->n && s->record[k] == l->record[k])
        k++;
    return k == l->n;
}

/* Finds or makes the read set of n sorted records. NULL if there are too many read sets, or no
 * memory. */
static struct pf_access_set *intern(const uint64_t *record, unsigned n)
{
    struct list key = {record, n};
    uint32_t hash = n;
    for (unsigned i = 0; i < n; i++)
        hash = pf_hash_index_hash(record[i], hash);
    uint32_t handle = pf_hash_index_find(&index, hash, same, &key);
    if (handle)
        return pf_store_at(handle);
    struct pf_access_set *s = NULL;
    pf_spin_lock(&lock);
    if ((handle = pf_hash_index_find(&index, hash, same, &key))) {
        s = pf_store_at(handle);
    } else if (index.used < READ_SETS_MAX && (s = set_new(n))) {
        for (unsigned k = 0; k < n; k++)
            s->record[k] = record[k];
        s->interned = 1;
        if (!pf_hash_index_add(&index, hash, pf_store_handle(s))) {
            pf_store_free(s, s->order);
            s = NULL;
        }
    }
    pf_spin_unlock(&lock);
    return s;
}

static struct pf_read_set_memo *memo_of(struct pf_thread *t, uint64_t from, uint64_t with)
{
    if (!t->shadow.memo) {
        t->shadow.memo = pf_store_alloc(5); /* 2 KB */
        if (!t->shadow.memo)
            return NULL;
        pf_zero(t->shadow.memo, sizeof *t->shadow.memo << PF_READ_SET_MEMO_BITS);
    }
    uint64_t h = (from ^ with >> PF_READ_SET_MEMO_SHIFT) * PF_READ_SET_MEMO_HASH;
    return &t->shadow.memo[h >> (64 - PF_READ_SET_MEMO_BITS)];
}
_Static_assert((sizeof(struct pf_read_set_memo) << PF_READ_SET_MEMO_BITS) <= 64 << 5,
               "the memo fits its block");

/* Inserts a into the sorted out[0..n). */
static void sort_in(uint64_t *out, unsigned n, uint64_t a)
{
    for (; n > 0 && out[n - 1] > a; n--)
        out[n] = out[n - 1];
    out[n] = a;
}

/* Adds a to the plain reads record[0..n). Returns the read set, or a itself if it replaces all of
 * them, or 0. Sets *again if t was already a member, in an earlier epoch. */
static uint64_t add_read(struct pf_thread *t, const uint64_t *record, unsigned n, uint64_t a,
                         bool *again)
{
    uint64_t out[READ_SET_RECORDS_MAX + 1];
    unsigned m = 0;
    *again = false;
    if (n >= READ_SET_RECORDS_MAX)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t s = record[i], both = s & a & PF_MASK_ALL;
        bool same_slot = !((s ^ a) & PF_BITS_SID);
        if (!((s ^ a) & ~(PF_MASK_ALL | PF_BITS_ID))) { /* same epoch: merge with a, if possible */
            uint64_t alone = s & ~a & PF_MASK_ALL;
            unsigned mask = (unsigned)(alone >> PF_MASK_SHIFT);
            uint64_t id =
                alone ? pf_site_pair_make(pf_access_id(s), mask, pf_access_id(a)) : pf_access_id(a);
            if (id) {
                a = ((a | alone) & ~PF_BITS_ID) | id;
                continue;
            }
        }
        if (same_slot && pf_access_clk(s) != t->order.clk)
            *again = true;
        if (same_slot ? pf_access_clk(s) != t->order.clk
                      : pf_access_clk(s) <= t->order.clock[pf_access_sid(s)])
            s &= ~both;
        if (s & PF_MASK_ALL)
            out[m++] = s;
    }
    if (m == 0)
        return a;
    sort_in(out, m, a);
    return ref_of(intern(out, m + 1));
}

uint64_t pf_read_set_of_list(struct pf_thread *t, const uint64_t *list, unsigned n, uint64_t a)
{
    uint64_t out[PF_CELL_WORDS];
    if (!may_make_read_set(t) || n + 1 > sizeof out / sizeof *out)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        if (list[i] & (PF_BIT_W | PF_BIT_A))
            return 0;
        sort_in(out, i, list[i]);
    }
    sort_in(out, n, a);
    return count_use(ref_of(intern(out, n + 1)));
}

/* Memoises from + with = to. */
static uint64_t memoise(struct pf_thread *t, uint64_t from, uint64_t with, uint64_t to)
{
    struct pf_read_set_memo *m = memo_of(t, from, with);
    if (m)
        *m = (struct pf_read_set_memo){from, with, to};
    return count_use(to);
}

uint64_t pf_read_set_add_memoised(struct pf_thread *t, uint64_t from, uint64_t a)
{
    const struct pf_read_set_memo *m = memo_of(t, from, a);
    if (!m || m->from != from || m->with != a)
        return 0;
    uint64_t to = m->to;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (m->from != from || m->with != a) /* a signal handler made another addition meanwhile */
        return 0;
    pay_back(t);
    return count_use(to);
}

/* Adds a to the word `from` of a cell: one read, or, if is_set, a reference to a read set. */
static inline __attribute__((always_inline)) uint64_t add_to_word(struct pf_thread *t,
                                                                  uint64_t from, bool is_set,
                                                                  uint64_t a)
{
    bool again;
    uint64_t to = pf_read_set_add_memoised(t, from, a);
    if (to)
        return to;
    if (!may_make_read_set(t))
        return 0;
    const struct pf_access_set *set = is_set ? pf_access_set_at(from) : NULL;
    to = add_read(t, set ? set->record : &from, set ? set->n : 1, a, &again);
    if (!to || (set && again && set->uses < PF_READ_SET_POPULAR && pf_word_is_ref(to)))
        return 0;
    return memoise(t, from, a, to);
}

uint64_t pf_read_set_of_two(struct pf_thread *t, uint64_t s, uint64_t a)
{
    return add_to_word(t, s, false, a);
}

uint64_t pf_read_set_add(struct pf_thread *t, uint64_t ref, uint64_t a)
{
    return add_to_word(t, ref, true, a);
}
