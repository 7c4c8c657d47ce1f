/*
 * hash_map.c - see hash_map.h. Open addressing with linear probing in one array, at most half
 * full: the keys are stored with the values, so that growing needs no help of the caller.
 */
#include "hash_map.h"
#include <assert.h>
#include <string.h>

#define FIRST 64

static void insert(struct pf_hash_map *m, uint64_t key, uint32_t value)
{
    size_t s = pf_hash_slot_of(m, key);
    while (m->slots[s].value != PF_HASH_NONE)
        s = (s + 1) & (m->cap - 1);
    m->slots[s] = (struct pf_hash_slot){key, value};
}

static void grow(struct pf_hash_map *m)
{
    struct pf_hash_map old = *m;
    m->cap = old.cap ? 2 * old.cap : FIRST;
    m->slots = pf_mem_resize(NULL, m->cap, sizeof *m->slots);
    memset(m->slots, 0xff, m->cap * sizeof *m->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].value != PF_HASH_NONE)
            insert(m, old.slots[i].key, old.slots[i].value);
    free(old.slots);
}

void pf_hash_map_add(struct pf_hash_map *m, uint64_t key, uint32_t value)
{
    assert(value != PF_HASH_NONE);
    if (2 * (m->len + 1) > m->cap)
        grow(m);
    insert(m, key, value);
    m->len++;
}

uint32_t pf_hash_map_put(struct pf_hash_map *m, uint64_t key, uint32_t fresh)
{
    uint32_t value = pf_hash_map_find(m, key);
    if (value != PF_HASH_NONE)
        return value;
    pf_hash_map_add(m, key, fresh);
    return fresh;
}

void pf_hash_map_clear(struct pf_hash_map *m)
{
    if (m->len)
        memset(m->slots, 0xff, m->cap * sizeof *m->slots);
    m->len = 0;
}

void pf_hash_map_release(struct pf_hash_map *m)
{
    free(m->slots);
    *m = (struct pf_hash_map){0};
}
