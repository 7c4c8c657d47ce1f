/*
 * lock_order.h - the order in which threads take locks, to find orders that can deadlock.
 *
 * Model:   a graph over the whole run. An edge a -> b says that a thread took b, or waited for it,
 *          while it held a; the other locks that it held then are the edge's gates. A cycle, such
 *          as a -> b, b -> a, can deadlock if all its edges can happen at the same time: no two of
 *          them have a gate in common (unless both threads hold it shared), and of the two
 *          acquisitions of a lock of the cycle, at least one is exclusive. Attempts to lock that do
 *          not wait make no edge. A lock leaves the graph when it is destroyed or its memory is
 *          freed.
 * Memory:  the runtime's store.
 * Threads: any; one lock for the graph. Each thread has a cache of recent acquisitions, and there
 *          is one cache shared by all threads, so that a repeated acquisition does not take
 *          the lock of the graph.
 *          While sampling, unwatched code skips some acquisitions that are in no cache, up to
 *          PF_LOCK_ORDER_GAP in a row. The number grows while acquisitions make no new edge, or
 *          while the graph has very many locks.
 * Errors:  without memory, or with more than PF_LOCK_ORDER_GATES gates, an edge is not stored: a
 *          cycle is missed.
 */
#ifndef PF_RT_LOCK_ORDER_H
#define PF_RT_LOCK_ORDER_H

#include "thread.h"

#define PF_LOCK_ORDER_GATES 9 /* of an edge; an edge with more is not stored */
#define PF_LOCK_ORDER_GAP 1023u /* acquisitions that are skipped in a row */
#define PF_LOCK_ORDER_LENGTH 20 /* longest cycle */

/* One acquisition of a cycle: the thread takes `lock` while it holds `held`. */
struct pf_lock_order_step {
    uintptr_t lock, held;
    uint32_t thread;
    uint32_t taken_at, held_at; /* site ids */
    bool held_first; /* held_at is the first acquisition of `held` by any thread */
};
struct pf_lock_cycle {
    size_t n;
    struct pf_lock_order_step at[PF_LOCK_ORDER_LENGTH]; /* at[i + 1].held is at[i].lock */
};

/* The number of locks that have left the graph. */
extern uint32_t pf_lock_order_dropped;

/* A hash of the locks that t holds and of the lock that it takes; never 0. */
static inline uint64_t pf_lock_order_key(const struct pf_thread *t, uintptr_t lock, bool shared)
{
    uint64_t dropped = __atomic_load_n(&pf_lock_order_dropped, __ATOMIC_RELAXED);
    uint64_t h = ((lock << 1 | shared) ^ dropped << 48) * 0xc2b2ae3d27d4eb4full;
    for (uint32_t i = 0; i < t->order.nheld; i++)
        h = (h ^ (t->order.held[i].addr << 1 | t->order.held[i].shared)) * 0x9e3779b97f4a7c15ull;
    return (h ^ h >> 32) | 1;
}
static inline uint64_t *pf_lock_order_slot(struct pf_thread *t, uint64_t key)
{
    return &t->order.known_orders[key >> 1 & (PF_KNOWN_ORDERS - 1)];
}

#define PF_SHARED_ORDERS 4096
extern uint64_t pf_shared_orders[PF_SHARED_ORDERS]; /* by key; any thread reads and writes them */
static inline uint64_t *pf_lock_order_shared_slot(uint64_t key)
{
    return &pf_shared_orders[key >> 5 & (PF_SHARED_ORDERS - 1)];
}

/* True if t, which is about to wait for the lock, has nothing to add to the graph. */
static inline bool pf_lock_order_known(struct pf_thread *t, const volatile void *lock, bool shared)
{
    if (__builtin_expect(t->order.nheld == 0, 1))
        return true;
    uint64_t key = pf_lock_order_key(t, (uintptr_t)lock, shared), *own = pf_lock_order_slot(t, key);
    if (*own == key)
        return true;
    if (__atomic_load_n(pf_lock_order_shared_slot(key), __ATOMIC_RELAXED) != key)
        return false;
    *own = key;
    return true;
}
/* For unwatched code while sampling, at an acquisition that is in no cache: true if it is to be
 * skipped, which is then counted. */
static inline bool pf_lock_order_skips(struct pf_thread *t)
{
    if (!t->order.orders_to_skip)
        return false;
    t->order.orders_to_skip--;
    return true;
}
/* Adds an acquisition that is not known. `where` is the site id of the call. Reports a new cycle
 * (pf_hooks.lock_cycle_found). */
void pf_lock_order_add(struct pf_thread *t, const volatile void *lock, bool shared, uint32_t where);

/* The lock was destroyed, or its memory was freed. */
void pf_lock_order_forget(uintptr_t lock);

void pf_lock_order_lock(void); /* around fork */
void pf_lock_order_unlock(void);

#endif
