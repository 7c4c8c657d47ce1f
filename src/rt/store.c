/* The region is reserved without commitment: 64 GB of addresses, pages appear as they are used. */
#include "store.h"
#include "limits.h"
#include "sys.h"
#include "thread.h"
#include <stdbool.h>

#define ORDERS 20

static bool ready;
static uint64_t used; /* bytes handed out by the bump */
static struct {
    struct pf_spin lock;
    void *head; /* linked through the first word */
    char pad[48];
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

/* Small blocks that a thread gave back wait for its next need, so that threads which make and end
 * sync objects all the time do not meet at the lists. */
#define NEAR_ORDERS 3
#define NEAR_MAX 32u
static __thread struct {
    void *head;
    uint32_t n;
} near[NEAR_ORDERS] __attribute__((tls_model("initial-exec")));

static void *pop(void **head)
{
    void *b = *head;
    if (b)
        *head = *(void **)b;
    return b;
}

static void push(void **head, void *block)
{
    *(void **)block = *head;
    *head = block;
}

/* Until n blocks of `order` are near, or there are no more. */
static void fetch(unsigned order, uint32_t n)
{
    void *b = NULL;
    pf_spin_lock(&lists[order].lock);
    while (near[order].n < n && (b = pop(&lists[order].head))) {
        push(&near[order].head, b);
        near[order].n++;
    }
    pf_spin_unlock(&lists[order].lock);
}

static void return_all_but(unsigned order, uint32_t n)
{
    pf_spin_lock(&lists[order].lock);
    for (; near[order].n > n; near[order].n--)
        push(&lists[order].head, pop(&near[order].head));
    pf_spin_unlock(&lists[order].lock);
}

void pf_store_flush(void)
{
    for (unsigned i = 0; i < NEAR_ORDERS; i++)
        return_all_but(i, 0);
}

void *pf_store_take(unsigned order)
{
    void *b = NULL;
    if (order < NEAR_ORDERS && __pf_tls.thread) {
        if (!near[order].n)
            fetch(order, NEAR_MAX / 2);
        if ((b = pop(&near[order].head)))
            near[order].n--;
    } else if (order < ORDERS) {
        pf_spin_lock(&lists[order].lock);
        b = pop(&lists[order].head);
        pf_spin_unlock(&lists[order].lock);
    }
    return b ? b : bump(64ull << order, 64);
}

void pf_store_give(void *block, unsigned order)
{
    if (order < NEAR_ORDERS && __pf_tls.thread) {
        push(&near[order].head, block);
        if (++near[order].n > NEAR_MAX)
            return_all_but(order, NEAR_MAX / 2);
    } else if (order < ORDERS) {
        pf_spin_lock(&lists[order].lock);
        push(&lists[order].head, block);
        pf_spin_unlock(&lists[order].lock);
    }
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
