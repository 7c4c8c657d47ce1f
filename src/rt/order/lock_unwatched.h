/*
 * lock_unwatched.h - mutexes where nothing is watched, which is most of them while sampling.
 *
 * Model:   order is tracked in every call, but where no statement is made no clock changes, and threads that
 *          take the same locks soon know the same. Clocks are numbered by value (sync.h): a thread that takes a lock whose
 *          clock has the number of its own learns nothing, one that gives it back tells nothing, and only the list of
 *          locks held is kept up. Nothing that others read is written, so the lock's clock stays in all caches.
 *          The set of locks (lockset.h) is for statements. A thread that has no frame of a watch body on its stack makes
 *          none; its set stays as it was (locks_stale) until a watch body begins.
 * Threads: each for itself. The clock of a mutex changes only in who holds it, so it can be looked at there without
 *          its stripe.
 */
#ifndef PF_RT_LOCK_QUICK_H
#define PF_RT_LOCK_QUICK_H

#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"

/* Sampling, and no frame of t's stack is one of a watch body. */
static inline bool pf_lock_unwatched(struct pf_thread *t)
{
    struct pf_frame *top = __pf_tls.frame - 1;
    if (!pf_rt.sampling || !__pf_tls.counts || t != __pf_tls.thread || pf_stack_watched())
        return false;
    while (t->watched_from < top && t->watched_from->call & PF_CALL_UNWATCHED)
        t->watched_from++;
    return t->watched_from >= top;
}

/* The calling thread, if its locks may go this way; else NULL. */
static inline struct pf_thread *pf_quick_thread(void)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!pf_rt.sampling || pf_rt.careful || __pf_tls.nested || !t || t->ignore_sync || t->signals ||
        pf_stack_watched())
        return NULL;
    return t;
}

static inline bool pf_quick_same(const struct pf_thread *t, const struct pf_sync *s)
{
    return s && t->value && __atomic_load_n(&s->value, __ATOMIC_RELAXED) == t->value;
}

/* The lockset of t with the lock of s. */
uint32_t pf_quick_with(struct pf_thread *t, const struct pf_sync *s);
/* t's set of locks is another from here on; it has made no statement in this epoch. */
static inline void pf_quick_lockset(struct pf_thread *t, uint32_t set)
{
    t->lockset = set;
    pf_epoch_lockset_changed(t);
}

/* t has just taken the lock, not recursively. False: nothing was done. */
static inline bool pf_quick_taken(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_sync *s = pf_sync_peek((uintptr_t)lock);
    bool later = pf_lock_unwatched(t);
    if (!pf_quick_same(t, s) || !s->first || t->nheld == PF_HELD_MAX)
        return false;
    if (!later && (t->dirty || t->locks_stale || t->undo.lock))
        return false;
    for (uint32_t i = 0; i < t->nheld; i++)
        if (t->held[i].addr == (uintptr_t)lock)
            return false; /* somebody else gave it back for t */
    t->held[t->nheld] = (struct pf_held){
        .addr = (uintptr_t)lock, .where = s->first, .before = t->lockset, .depth = 1};
    t->nheld++;
    if (later)
        t->locks_stale = true;
    else
        pf_quick_lockset(t, pf_quick_with(t, s));
    return true;
}

/* t is about to give the lock back. False: nothing was done. */
static inline bool pf_quick_dropping(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_held *h = &t->held[t->nheld - 1];
    bool later = pf_lock_unwatched(t);
    if (!t->nheld || t->dirty || h->addr != (uintptr_t)lock || h->depth != 1 || h->shared ||
        h->robust || (!later && t->locks_stale) || !pf_quick_same(t, pf_sync_peek((uintptr_t)lock)))
        return false;
    t->nheld--;
    t->undo.lock = 0;
    if (later)
        t->locks_stale = true;
    else
        pf_quick_lockset(t, h->before);
    return true;
}

#endif
