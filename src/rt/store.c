/* The region is reserved without commitment: 64 GB of addresses, pages appear as they are used. */
#include "store.h"
#include "limits.h"
#include "sys.h"
#include <stdbool.h>

#define ORDERS 20

static bool ready;
static uint64_t used; /* bytes handed out by the bump */
static struct {
    struct pf_spin lock;
    void *head; /* linked through the first word */
} lists[ORDERS];

uint64_t pf_limit_count[PF_LIMITS];

void pf_store_init(void)
{
    ready = pf_sys_map((void *)PF_STORE_BASE, PF_STORE_SIZE) != NULL;
    used = 64; /* the name 0 stays free to mean "none" */
}

static void *bump(size_t size, size_t align)
{
    uint64_t at = __atomic_load_n(&used, __ATOMIC_RELAXED), from;
    do {
        from = (at + align - 1) & ~(uint64_t)(align - 1);
        if (!ready || from + size > PF_STORE_SIZE) {
            pf_limit_hit(PF_LIMIT_MEMORY);
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(&used, &at, from + size, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return (void *)(PF_STORE_BASE + from);
}

void *pf_store_keep(size_t size) { return bump(size, 16); }

void *pf_store_take(unsigned order)
{
    if (order >= ORDERS)
        return bump(64ull << order, 64);
    pf_spin_lock(&lists[order].lock);
    void *b = lists[order].head;
    if (b)
        lists[order].head = *(void **)b;
    pf_spin_unlock(&lists[order].lock);
    return b ? b : bump(64ull << order, 64);
}

void pf_store_give(void *block, unsigned order)
{
    if (order >= ORDERS)
        return;
    pf_spin_lock(&lists[order].lock);
    *(void **)block = lists[order].head;
    lists[order].head = block;
    pf_spin_unlock(&lists[order].lock);
}

void pf_store_lock_all(void)
{
    for (unsigned i = 0; i < ORDERS; i++)
        pf_spin_lock(&lists[i].lock);
}

void pf_store_unlock_all(void)
{
    for (unsigned i = 0; i < ORDERS; i++)
        pf_spin_unlock(&lists[i].lock);
}
