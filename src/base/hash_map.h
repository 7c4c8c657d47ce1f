/*
 * hash_map.h - a hash table for the tools: 64-bit keys to 32-bit values.
 *
 * Model:   a multimap. If a key identifies its object (a pair of numbers, say), pf_hash_map_find
 *          and pf_hash_map_put use it as an ordinary map. If the key is a hash of something larger,
 *          the value is an index into the caller's vector, and the caller walks all values of the
 *          key and compares:
 *
 *              struct pf_hash_walk w = pf_hash_map_walk(&map, hash);
 *              while (pf_hash_map_next(&map, &w))
 *                  if (equal(&things.at[w.value], thing))
 *                      return w.value;
 *              pf_hash_map_add(&map, hash, (uint32_t)things.len);
 *
 *          Single values cannot be removed; pf_hash_map_clear removes all of them.
 * Memory:  a zero-initialised map is empty and valid; pf_hash_map_release frees it.
 * Errors:  none; see allocation.h.
 * Cost:    constant on average. Keys need not be well distributed; the map mixes them.
 */
#ifndef PF_BASE_HASH_MAP_H
#define PF_BASE_HASH_MAP_H

#include "allocation.h"
#include <stdbool.h>

#define PF_HASH_NONE UINT32_MAX /* not a value: "no such key" */

struct pf_hash_slot {
    uint64_t key;
    uint32_t value; /* PF_HASH_NONE: the slot is empty */
};
struct pf_hash_map {
    struct pf_hash_slot *slots;
    size_t len, cap; /* cap: 0 or a power of two, more than len */
};
/* A position among the values of one key; valid until the map changes. */
struct pf_hash_walk {
    uint64_t key;
    size_t slot;
    uint32_t value;
};

/* Adds a value of the key. Does not check whether the key has one already. */
void pf_hash_map_add(struct pf_hash_map *m, uint64_t key, uint32_t value);
/* The value of the key. If it has none, adds `fresh` and returns that. */
uint32_t pf_hash_map_put(struct pf_hash_map *m, uint64_t key, uint32_t fresh);
void pf_hash_map_clear(struct pf_hash_map *m); /* keeps the memory */
void pf_hash_map_release(struct pf_hash_map *m);

static inline size_t pf_hash_slot_of(const struct pf_hash_map *m, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    return (size_t)(h ^ h >> 32) & (m->cap - 1);
}

static inline struct pf_hash_walk pf_hash_map_walk(const struct pf_hash_map *m, uint64_t key)
{
    return (struct pf_hash_walk){key, m->cap ? pf_hash_slot_of(m, key) : 0, PF_HASH_NONE};
}

/* Moves to the next value of the key; false if there is none. */
static inline bool pf_hash_map_next(const struct pf_hash_map *m, struct pf_hash_walk *w)
{
    if (!m->cap)
        return false;
    for (;;) {
        const struct pf_hash_slot *s = &m->slots[w->slot];
        if (s->value == PF_HASH_NONE)
            return false;
        w->slot = (w->slot + 1) & (m->cap - 1);
        if (s->key == w->key) {
            w->value = s->value;
            return true;
        }
    }
}

/* The first value of the key; PF_HASH_NONE if it has none. */
static inline uint32_t pf_hash_map_find(const struct pf_hash_map *m, uint64_t key)
{
    struct pf_hash_walk w = pf_hash_map_walk(m, key);
    return pf_hash_map_next(m, &w) ? w.value : PF_HASH_NONE;
}

/* Replaces the value that the walk has just returned. */
static inline void pf_hash_map_set(struct pf_hash_map *m, const struct pf_hash_walk *w,
                                   uint32_t value)
{
    m->slots[(w->slot - 1) & (m->cap - 1)].value = value;
}

#endif
