/*
 * benign.c - see benign.h. Programs declare few ranges, so a linear list is enough.
 */
#include "benign.h"
#include "spin.h"
#include "store.h"

struct benign_range {
    uintptr_t from, to;
    struct benign_range *next;
};
static struct pf_spin lock;
static struct benign_range *first;
bool pf_benign_any;

void pf_benign_lock(void) { pf_spin_lock(&lock); }
void pf_benign_unlock(void) { pf_spin_unlock(&lock); }

void pf_benign_add(const volatile void *memory, size_t size)
{
    struct benign_range *r = pf_store_alloc_permanent(sizeof *r);
    if (!r)
        return;
    r->from = (uintptr_t)memory;
    r->to = r->from + size;
    pf_spin_lock(&lock);
    r->next = first;
    __atomic_store_n(&first, r, __ATOMIC_RELEASE);
    __atomic_store_n(&pf_benign_any, true, __ATOMIC_RELEASE);
    pf_spin_unlock(&lock);
}

bool pf_benign_search(uintptr_t addr, size_t size)
{
    for (const struct benign_range *r = __atomic_load_n(&first, __ATOMIC_ACQUIRE); r; r = r->next)
        if (addr < r->to && r->from < addr + size)
            return true;
    return false;
}

bool pf_benign_bytes(uintptr_t granule, unsigned bytes)
{
    for (unsigned i = 0; i < 8; i++)
        if (bytes >> i & 1 && pf_benign_overlaps(granule + i, 1))
            return true;
    return false;
}
