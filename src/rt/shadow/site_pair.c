/*
 * site_pair.c - see site_pair.h.
 */
#include "site_pair.h"
#include "hash_index.h"
#include "spin.h"
#include "sys.h"

/*
 * The id of a pair is PF_ID_SITE_PAIR plus its index in `pairs`. A pair is one word:
 *
 *      55    48 47           24 23            0
 *     +--------+---------------+---------------+
 *     |  mask  |    second     |     first     |
 *     +--------+---------------+---------------+
 */
static uint64_t *pairs;
static uint32_t count = 1;
static uint32_t nnested; /* nested pairs */
uint32_t pf_site_pair_nested_max = 1u << 14;
static struct pf_hash_index index;
static struct pf_spin lock;

bool pf_site_pair_init(void)
{
    pairs = pf_sys_map(NULL, sizeof *pairs * PF_SITE_PAIRS_MAX);
    return pairs;
}
void pf_site_pair_lock(void) { pf_spin_lock(&lock); }
void pf_site_pair_unlock(void) { pf_spin_unlock(&lock); }

static bool same(uint32_t item, const void *pair) { return pairs[item] == *(const uint64_t *)pair; }

/*
 * Two sites that access the bytes of a granule alternately need one pair for each assignment of
 * bytes to sites, not one for each history. With (a, m, b) for "site a for the bytes m, else b":
 *      ((a, m, b), n, b) = (a, m & n, b)       (a, n, (a, m, b)) = (a, m | n, b)
 *      ((a, m, b), n, a) = (b, n & ~m, a)      (b, n, (a, m, b)) = (a, m & ~n, b)
 */
static uint64_t simplify(uint32_t first, unsigned mask, uint32_t second)
{
    if (first & PF_ID_SITE_PAIR) {
        uint64_t p = pairs[first & ~PF_ID_SITE_PAIR];
        uint32_t a = p & 0xffffff, b = p >> 24 & 0xffffff;
        unsigned m = (unsigned)(p >> 48);
        if (second == b)
            return pf_site_pair_word(a, m & mask, b);
        if (second == a)
            return pf_site_pair_word(b, mask & ~m, a);
    }
    if (second & PF_ID_SITE_PAIR) {
        uint64_t p = pairs[second & ~PF_ID_SITE_PAIR];
        uint32_t a = p & 0xffffff, b = p >> 24 & 0xffffff;
        unsigned m = (unsigned)(p >> 48);
        if (first == a)
            return pf_site_pair_word(a, m | mask, b);
        if (first == b)
            return pf_site_pair_word(a, m & ~mask, b);
    }
    return pf_site_pair_word(first, mask, second);
}

static uint32_t find(uint32_t first, unsigned mask, uint32_t second, uint32_t nested_max)
{
    if (first == second)
        return first;
    if (!first || !second)
        return 0; /* one site is unknown: better two records, so that the other stays known */
    uint64_t pair = simplify(first, mask, second);
    if (!(pair >> 48))
        return pair >> 24 & 0xffffff;
    bool nested = (pair | pair >> 24) & PF_ID_SITE_PAIR;
    if (nested && __atomic_load_n(&nnested, __ATOMIC_RELAXED) >= nested_max)
        return 0;
    uint32_t hash = pf_hash_index_hash(pair, 0), i = pf_hash_index_find(&index, hash, same, &pair);
    if (i)
        return PF_ID_SITE_PAIR | i;
    pf_spin_lock(&lock);
    i = pf_hash_index_find(&index, hash, same, &pair);
    if (!i && count < PF_SITE_PAIRS_MAX) {
        pairs[count] = pair;
        if (pf_hash_index_add(&index, hash, count)) {
            i = count++;
            __atomic_store_n(&nnested, nnested + nested, __ATOMIC_RELAXED);
        }
    }
    pf_spin_unlock(&lock);
    return i ? PF_ID_SITE_PAIR | i : 0;
}

uint32_t pf_site_pair_make(uint32_t first, unsigned mask, uint32_t second)
{
    return find(first, mask, second, UINT32_MAX);
}

uint32_t pf_site_pair_make_limited(uint32_t first, unsigned mask, uint32_t second)
{
    return find(first, mask, second, pf_site_pair_nested_max);
}

void pf_site_pair_cache_put(struct pf_site_pair_cache *c, uint32_t first, unsigned mask,
                            uint32_t second, uint32_t id)
{
    uint64_t pair = pf_site_pair_word(first, mask, second);
    unsigned i = pf_site_pair_slot(pair);
    c->pair[i] = 0; /* a signal handler may run in between */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    c->id[i] = id;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    c->pair[i] = pair;
}

uint32_t pf_site_pair_at(uint32_t id, unsigned byte)
{
    while (id & PF_ID_SITE_PAIR) {
        uint64_t pair = pairs[id & ~PF_ID_SITE_PAIR];
        id = pair >> (48 + byte) & 1 ? pair & 0xffffff : pair >> 24 & 0xffffff;
    }
    return id;
}
