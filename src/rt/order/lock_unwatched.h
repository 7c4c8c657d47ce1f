/*
 * lock_unwatched.h - fast path for mutexes in unwatched code, which is most code while sampling.
 *
 * Model:   order is tracked in every call. But where no access records are made, no clock changes,
 *          and threads that take the same locks soon have equal clocks. Clocks have ids (sync.h):
 *          equal ids mean equal clocks. A thread that takes a lock whose clock has the id of its
 *          own has nothing to acquire, and nothing to publish when it releases the lock; only the
 *          list of held locks is updated. Nothing that other threads read is written, so the
 *          lock's clock stays in all caches. The set of held locks (lockset.h) is only needed for
 *          access records. A thread without a frame of a watch body makes none: its lockset stays
 *          stale (locks_stale) until a watch body begins.
 * Threads: the calling thread's own state. The clock of a mutex is changed only by its holder, so
 *          the holder may read it without locking its stripe.
 */
#ifndef PF_RT_LOCK_UNWATCHED_H
#define PF_RT_LOCK_UNWATCHED_H

#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"

/* True while sampling if no frame of t's stack belongs to a watch body. */
static inline bool pf_lock_unwatched(struct pf_thread *t)
{
    struct pf_frame *top = __pf_tls.frame - 1;
    if (!pf_rt.sampling || !__pf_tls.counts || t != __pf_tls.thread || pf_stack_watched())
        return false;
    while (t->order.watched_from < top && t->order.watched_from->call & PF_CALL_UNWATCHED)
        t->order.watched_from++;
    return t->order.watched_from >= top;
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

/* The lockset of t with the lock of s added. */
uint32_t pf_unwatched_lockset_with(struct pf_thread *t, const struct pf_sync *s);
/* Changes t's lockset; t has made no access record in this epoch. */
static inline void pf_unwatched_set_lockset(struct pf_thread *t, uint32_t set)
{
    t->order.lockset = set;
    pf_epoch_lockset_changed(t);
}

/* t has just taken the lock, not recursively. Returns false, with nothing done, if the fast path
 * does not apply. */
static inline bool pf_unwatched_lock(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_sync *s = pf_sync_peek((uintptr_t)lock);
    bool deferred = pf_lock_unwatched(t);
    if (!pf_unwatched_same_clock(t, s) || !s->first_taken || t->order.nheld == PF_HELD_MAX)
        return false;
    if (!deferred && (t->order.dirty || t->order.locks_stale || t->order.resumable.lock))
        return false;
    for (uint32_t i = 0; i < t->order.nheld; i++)
        if (t->order.held[i].addr == (uintptr_t)lock)
            return false; /* another thread unlocked it on behalf of t */
    t->order.held[t->order.nheld] = (struct pf_held_lock){.addr = (uintptr_t)lock,
                                                          .where = s->first_taken,
                                                          .lockset_before = t->order.lockset,
                                                          .depth = 1};
    t->order.nheld++;
    if (deferred)
        t->order.locks_stale = true;
    else
        pf_unwatched_set_lockset(t, pf_unwatched_lockset_with(t, s));
    return true;
}

/* t is about to release the lock. Returns false, with nothing done, if the fast path does not
 * apply. */
static inline bool pf_unwatched_unlock(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_held_lock *h = &t->order.held[t->order.nheld - 1];
    bool deferred = pf_lock_unwatched(t);
    if (!t->order.nheld || t->order.dirty || h->addr != (uintptr_t)lock || h->depth != 1 ||
        h->shared || h->robust || (!deferred && t->order.locks_stale) ||
        !pf_unwatched_same_clock(t, pf_sync_peek((uintptr_t)lock)))
        return false;
    t->order.nheld--;
    t->order.resumable.lock = 0;
    if (deferred)
        t->order.locks_stale = true;
    else
        pf_unwatched_set_lockset(t, h->lockset_before);
    return true;
}

#endif
