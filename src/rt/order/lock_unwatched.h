/*
 * lock_unwatched.h - fast path for mutexes in unwatched code, which is most code while sampling.
 *
 * Model:   order is tracked in every call. But where no access records are made, no clock changes,
 *          and threads that take the same locks soon have equal clocks. Clocks have ids (sync.h):
 *          equal ids mean equal clocks. A thread that takes a lock whose clock has the id of its
 *          own has nothing to acquire, and nothing to publish when it releases the lock; only the
 *          list of held locks is updated. Nothing that other threads read is written, so the lock's
 *          clock stays in all caches. Programs with many locks often take one whose clock is older
 *          than the thread's own. Then the thread has nothing to acquire either, but it publishes
 *          its clock (pf_unwatched_publish). The set of held locks (lockset.h) is only needed for
 *          access records. Unwatched code makes none, so its lock operations leave the lockset
 *          stale (locks_stale). A watched access that comes later, in a function that was called or
 *          in one that the thread returned to, must not use the stale set. So while it is stale,
 *          the thread's key matches no access record and its clock is hidden from compiled code:
 *          every check takes the slow path, and the first one of watched code computes the set
 *          (pf_lockset_refresh).
 * Threads: the calling thread's own state. The clock of a mutex is changed only by its holder, so
 *          the holder may read it without locking its stripe.
 */
#ifndef PF_RT_LOCK_UNWATCHED_H
#define PF_RT_LOCK_UNWATCHED_H

#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"

/* True while sampling if the calling thread t is in a plain body. */
static inline bool pf_lock_unwatched(const struct pf_thread *t)
{
    return pf_rt.sampling && __pf_tls.counts && t == __pf_tls.thread && !pf_stack_watched();
}

static inline void pf_unwatched_defer_lockset(struct pf_thread *t)
{
    if (t->order.locks_stale)
        return;
    t->order.locks_stale = true;
    pf_thread_update_key(t);
}

/* The calling thread if its locks may take this fast path; else NULL. */
static inline struct pf_thread *pf_unwatched_thread(void)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!t || !t->order.may_order_unwatched || __pf_tls.nested || pf_stack_watched())
        return NULL;
    return t;
}

/* Prefetches the sync object of the address. Programs with an object in each node of a large
 * structure would otherwise wait for its cache line after they have waited for the node's. */
static inline void pf_unwatched_prefetch(const volatile void *addr)
{
    uintptr_t granule = ((uintptr_t)addr & ((1ull << PF_APP_BITS) - 1)) >> 3;
    uint32_t n = __atomic_load_n((uint32_t *)PF_SYNC_PLANE + granule, __ATOMIC_RELAXED);
    __asm__ volatile("prefetcht0 (%0)" : : "r"(pf_store_at(n))); /* shared with other threads */
}

static inline bool pf_unwatched_same_clock(const struct pf_thread *t, const struct pf_sync *s)
{
    return s && t->order.clock_id &&
           __atomic_load_n(&s->clock_id, __ATOMIC_RELAXED) == t->order.clock_id;
}

/* True if t, which holds the lock, has seen all that was released into it. */
static inline bool pf_unwatched_has_seen(const struct pf_thread *t, const struct pf_sync *s)
{
    if (!s || s->readers.n || s->clock.n > PF_CLOCK_INLINE_MAX)
        return false;
    for (uint32_t i = 0; i < s->clock.n; i++)
        if (s->clock.at[i] > t->order.clock[i])
            return false;
    return true;
}

/* t has just taken the lock, not recursively. Returns false, with nothing done, if the fast path
 * does not apply. */
static inline bool pf_unwatched_lock(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_sync *s = pf_sync_peek((uintptr_t)lock);
    if ((!pf_unwatched_same_clock(t, s) && !pf_unwatched_has_seen(t, s)) || !s->first_taken ||
        t->order.nheld == PF_HELD_MAX || pf_rt.lock_stacks)
        return false;
    for (uint32_t i = 0; i < t->order.nheld; i++)
        if (t->order.held[i].addr == (uintptr_t)lock)
            return false; /* another thread unlocked it on behalf of t */
    t->order.held[t->order.nheld] = (struct pf_held_lock){.addr = (uintptr_t)lock,
                                                          .where = s->first_taken,
                                                          .lockset_before = t->order.lockset,
                                                          .depth = 1};
    t->order.nheld++;
    pf_unwatched_defer_lockset(t);
    return true;
}

/* t holds the lock, has acquired all that was released into it, and has made no access record since
 * its last release: publishes t's clock. Returns false, with nothing done, if there is no sync
 * object. */
static inline bool pf_unwatched_publish(struct pf_thread *t, uintptr_t lock)
{
    struct pf_spin *l = pf_sync_lock(lock);
    struct pf_sync *s = pf_sync_find(lock, false);
    if (s) {
        pf_clock_set_thread(&s->clock, t);
        t->order.clock_id = pf_clock_id(t);
        __atomic_store_n(&s->clock_id, t->order.clock_id, __ATOMIC_RELAXED);
        s->sole_releaser = t->number + 1;
        s->acquired_by_other = false;
        pf_sync_changed(l);
    }
    pf_spin_unlock(l);
    return s;
}

/* t is about to release the lock. Returns false, with nothing done, if the fast path does not
 * apply. */
static inline bool pf_unwatched_unlock(struct pf_thread *t, const volatile void *lock)
{
    uint32_t i = t->order.nheld;
    while (i && t->order.held[i - 1].addr != (uintptr_t)lock)
        i--;
    const struct pf_held_lock *h = &t->order.held[i - 1];
    if (!i || t->order.dirty || h->depth != 1 || h->shared || h->robust ||
        (!pf_unwatched_same_clock(t, pf_sync_peek((uintptr_t)lock)) &&
         !pf_unwatched_publish(t, (uintptr_t)lock)))
        return false;
    for (; i < t->order.nheld; i++) /* pf_lockset_refresh computes their lockset_before */
        t->order.held[i - 1] = t->order.held[i];
    t->order.nheld--;
    t->order.resumable.lock = 0;
    pf_unwatched_defer_lockset(t);
    return true;
}

#endif
