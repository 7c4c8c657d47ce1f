/*
 * store.c - see store.h. 64 GB of address space are reserved; pages are committed as they are used.
 */
#include "store.h"
#include "limits.h"
#include "sys.h"
#include "thread.h"
#include <stdbool.h>

#define ORDERS 20 /* block sizes, 64 << order bytes */

static bool ready;
static uint64_t used; /* bytes handed out by the bump pointer */
static struct {
    struct pf_spin lock;
    void *head; /* of a list linked through the first word of each block */
    char pad[48];
} lists[ORDERS];

bool pf_store_init(void)
{
    ready = pf_sys_map((void *)PF_STORE_BASE, PF_STORE_SIZE) != NULL;
    used = 64; /* handle 0 stays free to mean "none" */
    return ready;
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

void *pf_store_alloc_permanent(size_t size) { return bump(size, 16); }

/* Small blocks freed by a thread are cached for its next allocation, so that threads which create
 * and destroy sync objects all the time do not contend for the free lists. */
#define CACHED_ORDERS 3
#define CACHED_MAX 32u /* blocks of one size in the cache of a thread */
static __thread struct {
    void *head;
    uint32_t n;
} thread_cache[CACHED_ORDERS] __attribute__((tls_model("initial-exec")));

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

/* Moves blocks of `order` into the thread's cache until it has n, or the free list is empty. */
static void refill(unsigned order, uint32_t n)
{
    void *b = NULL;
    pf_spin_lock(&lists[order].lock);
    while (thread_cache[order].n < n && (b = pop(&lists[order].head))) {
        push(&thread_cache[order].head, b);
        thread_cache[order].n++;
    }
    pf_spin_unlock(&lists[order].lock);
}

/* Returns blocks of `order` to the free list until the thread's cache has n. */
static void shrink_to(unsigned order, uint32_t n)
{
    pf_spin_lock(&lists[order].lock);
    for (; thread_cache[order].n > n; thread_cache[order].n--)
        push(&lists[order].head, pop(&thread_cache[order].head));
    pf_spin_unlock(&lists[order].lock);
}

void pf_store_flush_thread(void)
{
    for (unsigned i = 0; i < CACHED_ORDERS; i++)
        shrink_to(i, 0);
}

void *pf_store_alloc(unsigned order)
{
    void *b = NULL;
    if (order < CACHED_ORDERS && __pf_tls.thread) {
        if (!thread_cache[order].n)
            refill(order, CACHED_MAX / 2);
        if ((b = pop(&thread_cache[order].head)))
            thread_cache[order].n--;
    } else if (order < ORDERS) {
        pf_spin_lock(&lists[order].lock);
        b = pop(&lists[order].head);
        pf_spin_unlock(&lists[order].lock);
    }
    return b ? b : bump(64ull << order, 64);
}

void pf_store_free(void *block, unsigned order)
{
    if (order < CACHED_ORDERS && __pf_tls.thread) {
        push(&thread_cache[order].head, block);
        if (++thread_cache[order].n > CACHED_MAX)
            shrink_to(order, CACHED_MAX / 2);
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
