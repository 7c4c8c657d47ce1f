#include "idpair.h"
#include "spin.h"
#include "sys.h"

#define TABLE_BITS (PF_ID_BITS - 1)
#define TABLE_SIZE (1u << TABLE_BITS)
#define PAIRS_MAX (TABLE_SIZE / 2)

/* The id of a pair is PF_ID_PAIR plus its place in the open-addressing table. A pair is one word:
 * first, second, mask, each of 24, 24 and 8 bits; 0 is a free place. */
static uint64_t *table;
static uint32_t count;
static struct pf_spin lock;

void pf_idpair_init(void) { table = pf_sys_map(0, sizeof *table * TABLE_SIZE); }
void pf_idpair_lock(void) { pf_spin_lock(&lock); }
void pf_idpair_unlock(void) { pf_spin_unlock(&lock); }

uint32_t pf_idpair(uint32_t first, unsigned mask, uint32_t second)
{
    uint64_t pair = first | (uint64_t)second << 24 | (uint64_t)mask << 48;
    if (first == second)
        return first;
    if (!first || !second)
        return 0; /* a stack is unknown: better two statements, one of them known */
    uint64_t h = pair * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 32) * 0xbf58476d1ce4e5b9ull;
    uint32_t i = (uint32_t)(h >> (64 - TABLE_BITS)), id = 0;
    uint64_t have;
    for (; (have = __atomic_load_n(&table[i], __ATOMIC_ACQUIRE)); i = (i + 1) & (TABLE_SIZE - 1))
        if (have == pair)
            return PF_ID_PAIR | i;
    pf_spin_lock(&lock);
    while (table[i] && table[i] != pair)
        i = (i + 1) & (TABLE_SIZE - 1);
    if (table[i] || count < PAIRS_MAX) {
        count += !table[i];
        __atomic_store_n(&table[i], pair, __ATOMIC_RELEASE);
        id = PF_ID_PAIR | i;
    }
    pf_spin_unlock(&lock);
    return id;
}

uint32_t pf_idpair_at(uint32_t id, unsigned byte)
{
    while (id & PF_ID_PAIR) {
        uint64_t pair = __atomic_load_n(&table[id & ~PF_ID_PAIR], __ATOMIC_ACQUIRE);
        id = pair >> (48 + byte) & 1 ? pair & 0xffffff : pair >> 24 & 0xffffff;
    }
    return id;
}
