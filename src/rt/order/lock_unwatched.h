/*
 * lock_unwatched.h - fast path for mutexes in unwatched code, which is most code while sampling.
 *
 * Model:   order is tracked in every call. But where no access records are made, no clock changes,
 *          and threads that take the same locks soon have equal clocks. Clocks have ids (sync.h):
 *          equal ids mean equal clocks. A thread that takes a lock whose clock has the id of its
 *          own has nothing to acquire, and nothing to publish when it releases the lock; only the
 *          list of held locks is updated. Nothing that other threads read is written, so the
 *          lock's clock stays in all caches. The set of held locks (lockset.h) is only needed for
 *          access records. Unwatched code makes none, so its lock operations leave the lockset
 *          stale (locks_stale). A watched access that comes later, in a function that was called
 *          or in one that the thread returned to, must not use the stale set. So while it is
 *          stale, the thread's key matches no access record and its clock is hidden from compiled
 *          code: every check takes the slow path, and the first one of watched code computes the
 *          set (pf_lockset_refresh).
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
    if (!pf_rt.sampling || pf_rt.slow_path_only || __pf_tls.nested || !t || t->ignore_sync ||
        t->signals || pf_stack_watched())
        return NULL;
    return t;
}

static inline bool pf_unwatched_same_clock(const struct pf_thread *t, const struct pf_sync *s)
{
    return s && t->order.clock_id &&
           __atomic_load_n(&s->clock_id, __ATOMIC_RELAXED) == t->order.clock_id;
}

/* t has just taken the lock, not recursively. Returns false, with nothing done, if the fast path
 * does not apply. */
static inline bool pf_unwatched_lock(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_sync *s = pf_sync_peek((uintptr_t)lock);
    if (!pf_unwatched_same_clock(t, s) || !s->first_taken || t->order.nheld == PF_HELD_MAX ||
        pf_rt.lock_stacks)
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

/* t is about to release the lock. Returns false, with nothing done, if the fast path does not
 * apply. */
static inline bool pf_unwatched_unlock(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_held_lock *h = &t->order.held[t->order.nheld - 1];
    if (!t->order.nheld || t->order.dirty || h->addr != (uintptr_t)lock || h->depth != 1 ||
        h->shared || h->robust || !pf_unwatched_same_clock(t, pf_sync_peek((uintptr_t)lock)))
        return false;
    t->order.nheld--;
    t->order.resumable.lock = 0;
    pf_unwatched_defer_lockset(t);
    return true;
}

#endif
