/* reported_findings.c - see reported_findings.h. */
#include "reported_findings.h"
#include "pf_shadow.h"
#include "sys.h"

#define ENTRIES (1u << 16) /* findings per process; the number of an entry fits into 16 bits */
#define SUPPRESSED_ENTRY 1 /* the entry for suppressed pairs; entry 0 means none */
#define FIRST 2
#define INDEX (2 * ENTRIES)
#define CACHE (1u << 14) /* pairs; the next one with the same hash replaces one */
#define HIDDEN (1u << 12) /* entries, by hash */

static struct {
    uint32_t n; /* entries in use, from FIRST on */
    struct pf_reported_finding entry[ENTRIES];
    uint16_t index[INDEX]; /* by fingerprint, open addressing */
    uint64_t cache[2][CACHE]; /* races, uses of freed memory: ids as in a pair | entry */
    /* hashes of {pair, granule} that are suppressed because of their variable */
    uint64_t hidden[HIDDEN];
} table; /* zero at the start, so that its megabytes take no space in the executable */

struct pf_reported_finding *pf_reported_find(uint64_t id)
{
    uint32_t i = (uint32_t)id % INDEX;
    for (; table.index[i]; i = (i + 1) % INDEX)
        if (table.entry[table.index[i]].id == id)
            return &table.entry[table.index[i]];
    if (table.n == ENTRIES - FIRST)
        return NULL;
    struct pf_reported_finding *e = &table.entry[FIRST + table.n++];
    table.index[i] = (uint16_t)(e - table.entry);
    e->id = id;
    return e;
}

void pf_reported_each_repeated(void (*f)(uint64_t id, uint64_t count))
{
    for (uint32_t i = FIRST; i < FIRST + table.n; i++)
        if (table.entry[i].count > 1 && table.entry[i].reported)
            f(table.entry[i].id, table.entry[i].count);
}

/* While there are no findings the tables are zero, and their pages stay shared with the parent. */
void pf_reported_clear(void)
{
    if (table.n) {
        pf_zero(table.entry, (FIRST + table.n) * sizeof table.entry[0]);
        pf_zero(table.index, sizeof table.index);
        pf_zero(table.cache, sizeof table.cache);
        pf_zero(table.hidden, sizeof table.hidden);
    }
    table.n = 0;
}

/* id of `now` << 40 | id of `then` << 16 | 1 if `then` marks freed memory */
uint64_t pf_reported_pair(uint64_t now, uint64_t then)
{
    uint64_t ids = (1u << PF_ID_BITS) - 1;
    bool freed = (then >> PF_SID_SHIFT & PF_SID_MASK) == PF_SID_FREED;
    return (now & ids) << 40 | (then & ids) << 16 | freed;
}

static uint64_t *cache_slot(uint64_t pair)
{
    return &table.cache[pair & 1][((pair & ~1ull) * 0x9e3779b97f4a7c15ull) >> 50];
}
_Static_assert(CACHE == 1u << (64 - 50), "the shift gives an index of the cache");

bool pf_reported_count_pair(uint64_t pair)
{
    uint64_t c = __atomic_load_n(cache_slot(pair), __ATOMIC_ACQUIRE);
    if ((c ^ pair) >> 16 || !(c & 0xffff))
        return false;
    __atomic_fetch_add(&table.entry[c & 0xffff].count, 1, __ATOMIC_RELAXED);
    return true;
}

void pf_reported_remember_pair(uint64_t pair, const struct pf_reported_finding *e)
{
    uint64_t number = e ? (uint64_t)(e - table.entry) : SUPPRESSED_ENTRY;
    __atomic_store_n(cache_slot(pair), (pair & ~1ull) | number, __ATOMIC_RELEASE);
}

static uint64_t hidden_hash(uint64_t pair, uintptr_t granule)
{
    uint64_t h = (pair ^ granule * 0xc2b2ae3d27d4eb4full) * 0x9e3779b97f4a7c15ull;
    return (h ^ h >> 29) | 1;
}

bool pf_reported_pair_is_hidden(uint64_t pair, uintptr_t granule)
{
    uint64_t h = hidden_hash(pair, granule);
    return __atomic_load_n(&table.hidden[h % HIDDEN], __ATOMIC_RELAXED) == h;
}

void pf_reported_hide_pair(uint64_t pair, uintptr_t granule)
{
    uint64_t h = hidden_hash(pair, granule);
    __atomic_store_n(&table.hidden[h % HIDDEN], h, __ATOMIC_RELAXED);
}
