/*
 * lockset.c - see lockset.h.
 */
#include "lockset.h"
#include "hash_index.h"
#include "limits.h"
#include "spin.h"
#include "sys.h"

#define NODES_MAX (1u << 22) /* sets; after that, new locks are left out */

struct node {
    uintptr_t lock;
    uint32_t rest;
    uint32_t where; /* site id << 1 | shared */
};

static struct node *nodes; /* by number; 0 is the empty set */
static uint32_t count = 1;
static struct pf_hash_index index;
static struct pf_spin lock;

bool pf_lockset_init(void)
{
    nodes = pf_sys_map(NULL, sizeof *nodes * NODES_MAX);
    return nodes;
}
void pf_lockset_lock(void) { pf_spin_lock(&lock); }
void pf_lockset_unlock(void) { pf_spin_unlock(&lock); }

static bool same(uint32_t item, const void *key)
{
    const struct node *n = &nodes[item], *k = key;
    return n->lock == k->lock && n->rest == k->rest && n->where == k->where;
}

uint32_t pf_lockset_with(uint32_t rest, uintptr_t l, uint32_t where, bool shared)
{
    struct node key = {l, rest, where << 1 | shared};
    uint32_t hash = pf_hash_index_hash(l, (uint64_t)rest << 32 | key.where);
    uint32_t i = pf_hash_index_find(&index, hash, same, &key);
    if (i)
        return i;
    pf_spin_lock(&lock);
    i = pf_hash_index_find(&index, hash, same, &key);
    if (!i && count < NODES_MAX) {
        nodes[count] = key;
        if (pf_hash_index_add(&index, hash, count))
            i = count++;
    }
    pf_spin_unlock(&lock);
    if (i)
        return i;
    pf_limit_hit(PF_LIMIT_LOCKS);
    return rest;
}

size_t pf_lockset_get(uint32_t set, struct pf_held_lock *out, size_t max)
{
    size_t n = 0;
    for (; set; set = nodes[set].rest, n++)
        if (n < max)
            out[n] = (struct pf_held_lock){.addr = nodes[set].lock,
                                           .where = nodes[set].where >> 1,
                                           .shared = nodes[set].where & 1,
                                           .depth = 1};
    return n;
}
