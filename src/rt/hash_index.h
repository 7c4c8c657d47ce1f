/*
 * hash_index.h - a hash index over items that the caller keeps in its own array; used to find
 * whether an equal item exists already.
 *
 * Model:   a multimap from a hash to an item number (not 0); the caller compares items.
 * Memory:  open addressing, at most half full. It grows by doubling into a new mapping. The old
 *          ones stay mapped, because readers may still use them; all old ones together are as large
 *          as the new one.
 * Threads: find needs no lock; the caller serialises add. An item must be complete before it is
 *          added.
 * Errors:  add returns false without memory and leaves the index unchanged.
 */
#ifndef PF_RT_HASH_INDEX_H
#define PF_RT_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct pf_hash_index_table {
    uint32_t mask;
    uint64_t slot[]; /* hash << 32 | item; 0: free */
};

struct pf_hash_index {
    struct pf_hash_index_table *table;
    uint32_t used;
};

bool pf_hash_index_add(struct pf_hash_index *x, uint32_t hash, uint32_t item);

/* The item with this hash for which same(item, key) holds, or 0. */
static inline __attribute__((always_inline)) uint32_t
pf_hash_index_find(const struct pf_hash_index *x, uint32_t hash,
                   bool (*same)(uint32_t item, const void *key), const void *key)
{
    const struct pf_hash_index_table *t = __atomic_load_n(&x->table, __ATOMIC_ACQUIRE);
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

static inline uint32_t pf_hash_index_hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 29 ^ b) * 0x94d049bb133111ebull;
    return (uint32_t)(h >> 32);
}

#endif
