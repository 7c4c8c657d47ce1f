/*
 * hash_index.c - see hash_index.h.
 */
#include "hash_index.h"
#include "sys.h"

#define FIRST_BITS 10 /* log2 of the slots of a new index */

static void insert(struct pf_hash_index_table *t, uint64_t s)
{
    uint32_t i = (uint32_t)(s >> 32) & t->mask;
    while (t->slot[i])
        i = (i + 1) & t->mask;
    __atomic_store_n(&t->slot[i], s, __ATOMIC_RELEASE);
}

bool pf_hash_index_add(struct pf_hash_index *x, uint32_t hash, uint32_t item)
{
    struct pf_hash_index_table *t = x->table;
    if (!t || x->used > t->mask / 2) {
        uint32_t size = t ? (t->mask + 1) * 2 : 1u << FIRST_BITS;
        struct pf_hash_index_table *n =
            pf_sys_map(0, sizeof *n + (uint64_t)size * sizeof n->slot[0]);
        if (!n)
            return false;
        /* Hashes are spread over all pages, so every page will be used soon. */
        pf_sys_populate(n, sizeof *n + (uint64_t)size * sizeof n->slot[0]);
        n->mask = size - 1;
        for (uint32_t i = 0; t && i <= t->mask; i++)
            if (t->slot[i])
                insert(n, t->slot[i]);
        __atomic_store_n(&x->table, n, __ATOMIC_RELEASE);
        t = n;
    }
    insert(t, (uint64_t)hash << 32 | item);
    x->used++;
    return true;
}
