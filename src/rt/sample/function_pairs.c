/*
 * function_pairs.c - see function_pairs.h.
 */
#include "function_pairs.h"
#include "fnv.h"
#include "sys.h"
#include "textbuf.h"

#define FIRST_SIZE 256u /* entries of a new map */

uint64_t pf_function_hash(const char *name, const char *file, uint64_t body)
{
    const char *base = pf_str_base(file ? file : "");
    uint64_t h = pf_fnv_text(PF_FNV_START, name);
    h = pf_fnv_bytes(h, base, pf_str_len(base));
    h = (h ^ body) * 0x9fb21c651e98df25ull;
    return h ^ h >> 32;
}

static uint32_t start(const struct pf_function_pairs *m, uint64_t key)
{
    return (uint32_t)(key >> 17) & (m->size - 1);
}

struct pf_function_pair *pf_function_pairs_find(const struct pf_function_pairs *m, uint64_t key)
{
    if (!m->size)
        return NULL;
    for (uint32_t i = start(m, key);; i = (i + 1) & (m->size - 1)) {
        if (m->at[i].key == key)
            return &m->at[i];
        if (!m->at[i].key)
            return NULL;
    }
}

static struct pf_function_pair *put(struct pf_function_pairs *m, uint64_t key, uint32_t count,
                                    uint32_t earlier)
{
    uint32_t i = start(m, key);
    while (m->at[i].key)
        i = (i + 1) & (m->size - 1);
    __atomic_store_n(&m->at[i].count, count, __ATOMIC_RELAXED);
    m->at[i].earlier = earlier;
    __atomic_store_n(&m->at[i].key, key, __ATOMIC_RELEASE);
    m->n++;
    return &m->at[i];
}

static bool grow(struct pf_function_pairs *m)
{
    struct pf_function_pairs larger = {.size = m->size ? m->size * 2 : FIRST_SIZE};
    larger.at = pf_sys_map(NULL, larger.size * sizeof *larger.at);
    if (!larger.at)
        return false;
    for (uint32_t i = 0; i < m->size; i++)
        if (m->at[i].key)
            put(&larger, m->at[i].key, m->at[i].count, m->at[i].earlier);
    struct pf_function_pair *outgrown = m->at;
    size_t outgrown_size = m->size * sizeof *outgrown;
    pf_spin_lock(&m->lock);
    m->at = larger.at;
    m->size = larger.size;
    pf_spin_unlock(&m->lock);
    if (outgrown)
        pf_sys(SYS_munmap, outgrown, outgrown_size);
    return true;
}

struct pf_function_pair *pf_function_pairs_add(struct pf_function_pairs *m, uint64_t key,
                                               uint32_t count, uint32_t earlier)
{
    if ((!m->size || m->n * 4 >= m->size * 3) && !grow(m))
        return NULL;
    return put(m, key, count, earlier);
}

void pf_function_pairs_each(struct pf_function_pairs *m,
                            void (*f)(const struct pf_function_pair *, void *), void *arg)
{
    pf_spin_lock(&m->lock);
    for (uint32_t i = 0; i < m->size; i++) {
        struct pf_function_pair p = {.key = __atomic_load_n(&m->at[i].key, __ATOMIC_ACQUIRE)};
        if (!p.key)
            continue;
        p.count = __atomic_load_n(&m->at[i].count, __ATOMIC_RELAXED);
        p.earlier = m->at[i].earlier;
        f(&p, arg);
    }
    pf_spin_unlock(&m->lock);
}

static void add_seen(const struct pf_function_pair *p, void *to)
{
    struct pf_function_pairs *sum = to;
    struct pf_function_pair *e = pf_function_pairs_find(sum, p->key);
    uint32_t more = p->count - p->earlier;
    if (!e)
        pf_function_pairs_add(sum, p->key, p->count, p->earlier);
    else
        e->count = e->count > UINT32_MAX - more ? UINT32_MAX : e->count + more;
}

void pf_function_pairs_add_all(struct pf_function_pairs *sum, struct pf_function_pairs *more)
{
    pf_function_pairs_each(more, add_seen, sum);
}

void pf_function_pairs_release(struct pf_function_pairs *m)
{
    if (m->at)
        pf_sys(SYS_munmap, m->at, m->size * sizeof *m->at);
    *m = (struct pf_function_pairs){0};
}

static bool number(const char **s, uint32_t *out)
{
    uint32_t v = 0;
    const char *from = *s;
    for (; **s >= '0' && **s <= '9' && v < 100000000; ++*s)
        v = v * 10 + (uint32_t)(**s - '0');
    *out = v;
    return *s > from;
}

bool pf_burst_rate_parse(const char *s, struct pf_burst_rate *r, uint32_t *n)
{
    if (*s && *s != ':') {
        if (!number(&s, &r->burst) || *s++ != '/' || !number(&s, &r->period) || !r->burst ||
            r->burst > r->period)
            return false;
        if (r->period_max < r->period)
            r->period_max = r->period;
    }
    if (*s == ':' && (s++, !number(&s, n) || !*n || *n > 255))
        return false;
    if (*s == ':' && (s++, !number(&s, &r->period_max) || r->period_max < r->period))
        return false;
    return !*s;
}

/* The period at call number *count; *count becomes the number of calls with that period. */
static uint32_t period_at(const struct pf_burst_rate *r, uint32_t *count)
{
    uint32_t period = r->period;
    while (period < r->period_max && *count / r->repeat >= period) {
        *count -= period * r->repeat;
        period = r->period_max / 10 < period ? r->period_max : period * 10;
    }
    return period;
}

bool pf_burst_rate_samples(const struct pf_burst_rate *r, uint32_t count, uint32_t *left)
{
    uint32_t period = period_at(r, &count), at = count % period;
    bool in = at < r->burst;
    *left = in ? r->burst - at : period - at;
    return in;
}

struct pf_burst_rate pf_pair_burst_rate(const struct pf_burst_rate *r, enum pf_pair_kind kind)
{
    struct pf_burst_rate own = *r;
    if (kind == PF_PAIR_UNLOCKED)
        own.period_max = own.period;
    else if (kind == PF_PAIR_RETIRED)
        own.period = own.period_max;
    else if (kind == PF_PAIR_APART)
        own.repeat = 1;
    return own;
}

uint32_t pf_function_pair_shift(const struct pf_burst_rate *r, uint32_t count, uint64_t key,
                                uint64_t seed)
{
    uint32_t at = count, period = period_at(r, &at);
    uint64_t random = (key ^ seed) * 0x9e3779b97f4a7c15ull;
    uint32_t by = (uint32_t)((random ^ random >> 32) % period);
    return count <= UINT32_MAX - by ? count + by : count;
}

static struct pf_function_pair *find_or_add(struct pf_function_pairs *own,
                                            const struct pf_function_pairs *before,
                                            const struct pf_burst_rate *r, uint64_t key,
                                            bool retired)
{
    struct pf_function_pair *e = pf_function_pairs_find(own, key);
    if (e)
        return e;
    const struct pf_function_pair *b = pf_function_pairs_find(before, key);
    uint32_t count = b         ? pf_function_pair_shift(r, b->count, key, before->seed)
                     : retired ? pf_function_pair_shift(r, 1, key, before->seed)
                               : 0;
    return pf_function_pairs_add(own, key, count, count);
}

static void add_count(struct pf_function_pair *e, uint32_t more)
{
    uint32_t count = e->count > UINT32_MAX - more ? UINT32_MAX : e->count + more;
    __atomic_store_n(&e->count, count, __ATOMIC_RELAXED);
}

void pf_function_pairs_count(struct pf_function_pairs *own, const struct pf_function_pairs *before,
                             const struct pf_burst_rate *r, uint64_t f, uint64_t other,
                             uint32_t weight)
{
    struct pf_function_pair *e = find_or_add(own, before, r, pf_function_pair_key(f, other), false);
    if (e)
        add_count(e, weight);
}

/* e: the pair (f, o); NULL: there is no memory for it. */
static enum pf_pair_decision decide_pair(const struct pf_function_pair *e,
                                         const struct pf_burst_rate *r,
                                         const struct pf_other_function *o, uint32_t *left)
{
    uint32_t count = e ? e->count : 0, own = e ? count - e->earlier : 0;
    struct pf_burst_rate rate = pf_pair_burst_rate(r, o->kind);
    bool in = pf_burst_rate_samples(&rate, count, left);
    if (!count)
        return PF_PAIR_NEW;
    if (count < r->burst)
        return PF_PAIR_FIRST_BURST;
    if (!o->covered && own < r->burst) {
        if (!in || *left > r->burst - own)
            *left = r->burst - own;
        return PF_PAIR_UNCOVERED_BURST;
    }
    return !in                           ? PF_PAIR_SKIP
           : o->kind == PF_PAIR_UNLOCKED ? PF_PAIR_UNLOCKED_BURST
                                         : PF_PAIR_BURST;
}

enum pf_pair_decision pf_function_pairs_decide(struct pf_function_pairs *own,
                                               const struct pf_function_pairs *before,
                                               const struct pf_burst_rate *r, uint64_t f,
                                               const struct pf_other_function *others, unsigned n,
                                               uint32_t weight, uint64_t *wake, uint32_t *left)
{
    enum pf_pair_decision of[PF_PAIR_OTHERS_MAX], decision = PF_PAIR_SKIP;
    *wake = 0;
    *left = UINT32_MAX;
    for (unsigned i = 0; i < n; i++) {
        unsigned same = 0;
        while (others[same].hash != others[i].hash)
            same++;
        if (same < i) { /* two threads run the same function: one pair */
            of[i] = of[same];
            continue;
        }
        struct pf_burst_rate rate = pf_pair_burst_rate(r, others[i].kind);
        struct pf_function_pair *e =
            find_or_add(own, before, &rate, pf_function_pair_key(f, others[i].hash),
                        others[i].kind == PF_PAIR_RETIRED);
        uint32_t for_it;
        of[i] = decide_pair(e, r, &others[i], &for_it);
        if (of[i] > decision)
            decision = of[i];
        if (for_it < *left)
            *left = for_it;
        if (e) /* new pairs did not exist during skipped calls */
            add_count(e, e->count ? weight : 1);
    }
    enum pf_pair_decision least =
        decision > PF_PAIR_UNCOVERED_BURST ? PF_PAIR_UNCOVERED_BURST : decision;
    for (unsigned i = 0; decision && i < n; i++)
        if (of[i] >= least)
            *wake |= 1ull << i;
    if (!n)
        *left = 1;
    return decision;
}
