#include "lockset.h"
#include "limits.h"
#include "race.h"
#include "spin.h"
#include "sys.h"

#define TABLE_BITS 22
#define TABLE_SIZE (1u << TABLE_BITS)

struct node { /* the number of a node is 1 + its place in the open-addressing table */
    uintptr_t lock;
    uint32_t rest;
    uint32_t where; /* access id << 1 | shared */
};

static struct node *table;
static uint32_t count;
static struct pf_spin lock;

void pf_lockset_init(void) { table = pf_sys_map(NULL, sizeof *table * TABLE_SIZE); }
void pf_lockset_lock(void) { pf_spin_lock(&lock); }
void pf_lockset_unlock(void) { pf_spin_unlock(&lock); }

uint32_t pf_lockset_with(uint32_t rest, uintptr_t l, uint32_t where, bool shared)
{
    where = where << 1 | shared;
    uint64_t h = (l ^ (uint64_t)rest << 32) * 0x9e3779b97f4a7c15ull + where;
    h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9ull;
    uint32_t i = (uint32_t)(h >> (64 - TABLE_BITS));
    for (bool locked = false;; i = (i + 1) & (TABLE_SIZE - 1)) {
        struct node *n = &table[i];
        uintptr_t have = __atomic_load_n(&n->lock, __ATOMIC_ACQUIRE);
        if (!have && !locked) { /* free, unless somebody takes it just now */
            pf_spin_lock(&lock);
            locked = true;
            have = n->lock;
        }
        if (!have) {
            bool full = count >= TABLE_SIZE / 4 * 3;
            if (full) {
                pf_limit_hit(PF_LIMIT_LOCKS);
            } else {
                count++;
                n->rest = rest;
                n->where = where;
                __atomic_store_n(&n->lock, l, __ATOMIC_RELEASE);
            }
            pf_spin_unlock(&lock);
            return full ? rest : i + 1;
        }
        if (have == l && n->rest == rest && n->where == where) {
            if (locked)
                pf_spin_unlock(&lock);
            return i + 1;
        }
    }
}

uint32_t pf_lockset_of(const struct pf_thread *t)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < t->nheld; i++)
        set = pf_lockset_with(set, t->held[i].addr, t->held[i].where, t->held[i].shared);
    return set;
}

size_t pf_lockset_get(uint32_t set, struct pf_held *out, size_t max)
{
    size_t n = 0;
    for (; set; set = table[set - 1].rest, n++)
        if (n < max)
            out[n] = (struct pf_held){.addr = table[set - 1].lock,
                                      .where = table[set - 1].where >> 1,
                                      .shared = table[set - 1].where & 1,
                                      .depth = 1};
    return n;
}
