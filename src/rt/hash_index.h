/*
 * hash_index.h - a hash index over items that the caller keeps in an array of its own: how the runtime
 * finds whether a thing was seen before.
 *
 * Model:   a multimap hash -> item number (not 0); the caller compares items.
 * Memory:  open addressing at most half full; it doubles by a new mapping, and readers may still be
 *          in the old one, so that stays mapped (all old ones together are as large as the new one).
 * Threads: find needs no lock; add is serialised by the caller. An item must be complete before it
 *          is added.
 * Errors:  add is false when memory is out; the index is as before.
 */
#ifndef PF_RT_INDEX_H
#define PF_RT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct pf_index_table {
    uint32_t mask;
    uint64_t slot[]; /* hash << 32 | item; 0: free */
};

struct pf_index {
    struct pf_index_table *table;
    uint32_t used;
};

bool pf_index_add(struct pf_index *x, uint32_t hash, uint32_t item);

/* The item with this hash that is the same as key, or 0. */
static inline __attribute__((always_inline)) uint32_t
pf_index_find(const struct pf_index *x, uint32_t hash, bool (*same)(uint32_t item, const void *key),
              const void *key)
{
    const struct pf_index_table *t = __atomic_load_n(&x->table, __ATOMIC_ACQUIRE);
    if (!t)
        return 0;
    for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
        uint64_t s = __atomic_load_n(&t->slot[i], __ATOMIC_ACQUIRE);
        if (!s)
            return 0;
        if ((uint32_t)(s >> 32) == hash && same((uint32_t)s, key))
            return (uint32_t)s;
    }
}

static inline uint32_t pf_index_hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 29 ^ b) * 0x94d049bb133111ebull;
    return (uint32_t)(h >> 32);
}

#endif
