/*
 * lock_reacquire.h - fast path for a lock that its last holder takes again, or that a reader takes
 * again before any writer did.
 *
 * Model:   the clock of the lock is still exactly what t published when it released the lock: no
 *          other thread has acquired it, and nothing was added. (The version of its stripe shows
 *          that; for a writer also `acquired_by_other` and `readers`.) So t acquires nothing and
 *          resumes its previous epoch (slot.h). If its clock also does not grow until t releases
 *          the lock, only t's own last epoch has to be published again.
 * Threads: the calling thread's own state. While t holds the lock, no other thread may change what
 *          is read here, except that readers change their own entries, which the stripe protects.
 */
#ifndef PF_RT_LOCK_REACQUIRE_H
#define PF_RT_LOCK_REACQUIRE_H

#include "rt.h"
#include "slot.h"
#include "sync.h"

static inline uint32_t pf_reacquire_version(uintptr_t lock)
{
    return __atomic_load_n(&pf_sync_stripe(lock)->version, __ATOMIC_ACQUIRE);
}

/* t has just released on the slow path the lock that it took last: h was its entry, `published` its
 * last epoch. */
static inline void pf_reacquire_record(struct pf_thread *t, const struct pf_held_lock *h,
                                       uint32_t published)
{
    struct pf_resumable_epoch *u = &t->order.resumable;
    if (u->lock != h->addr || h->robust)
        return;
    u->complete = true;
    u->shared = h->shared;
    u->version = pf_reacquire_version(h->addr);
    u->published = published;
    u->acquire_count = t->order.acquire_count;
    u->lockset_before = h->lockset_before;
    u->where = h->where;
}

/* True if no writer has taken the lock since t released it as a reader. What other readers
 * published meanwhile does not matter. */
static inline bool pf_reacquire_no_writer_since(const struct pf_thread *t, uintptr_t lock)
{
    const struct pf_resumable_epoch *u = &t->order.resumable;
    return u->lock == lock && u->complete && u->shared && u->version == pf_reacquire_version(lock);
}

/* False in modes in which every lock operation takes the slow path. */
static inline bool pf_reacquire_allowed(const struct pf_thread *t)
{
    return !(pf_rt.sampling | pf_rt.slow_path_only | (t->ignore_sync != 0));
}

/* t has just taken the lock. Returns false, with nothing done, if the fast path does not apply. */
static inline bool pf_reacquire_lock(struct pf_thread *t, uintptr_t lock, bool shared,
                                     uint32_t where)
{
    const struct pf_resumable_epoch *u = &t->order.resumable;
    if (u->lock != lock || !u->complete || u->shared != shared ||
        u->lockset_before != t->order.lockset || !pf_reacquire_allowed(t) ||
        t->order.nheld == PF_HELD_MAX || u->version != pf_reacquire_version(lock))
        return false;
    const struct pf_sync *s = shared ? NULL : pf_sync_peek(lock);
    if (!shared && (!s || s->acquired_by_other || s->readers.n))
        return false;
    for (uint32_t i = 0; i < t->order.nheld; i++)
        if (t->order.held[i].addr == lock)
            return false;
    struct pf_held_lock h = {lock, u->where, u->lockset_before, shared, 0, 1, where};
    t->order.lockset = u->lockset;
    if (!pf_epoch_resume(t, lock)) {
        t->order.lockset = u->lockset_before;
        return false;
    }
    t->order.held[t->order.nheld++] = h;
    return true;
}

/* Publishes t's last epoch, and nothing else, to the lock. Returns false if that is not enough. */
static inline bool pf_reacquire_publish(struct pf_thread *t, struct pf_resumable_epoch *u,
                                        uint32_t last)
{
    struct pf_spin *l = pf_sync_lock(u->lock);
    struct pf_sync *s = pf_sync_find(u->lock, false);
    struct pf_hb_clock *c = !s ? NULL : u->shared ? &s->readers : &s->clock;
    bool has = c && c->n > t->order.sid && c->at[t->order.sid] == u->published;
    if (has) {
        c->at[t->order.sid] = u->published = last;
        if (t->order.span.lock == u->lock && !u->shared && !s->acquired_by_other)
            pf_span_extend(t, last);
        else
            pf_span_publish(t, last);
    }
    pf_spin_unlock(l);
    return has;
}

/* t is about to release the lock. Returns false, with nothing done, if the fast path does not
 * apply. */
static inline bool pf_reacquire_unlock(struct pf_thread *t, uintptr_t lock)
{
    struct pf_resumable_epoch *u = &t->order.resumable;
    if (u->lock != lock || !u->complete || u->clk != t->order.clk || u->sid != t->order.sid ||
        u->acquire_count != t->order.acquire_count || !t->order.dirty || !t->order.nheld ||
        !pf_reacquire_allowed(t) || u->version != pf_reacquire_version(lock))
        return false;
    const struct pf_held_lock *h = &t->order.held[t->order.nheld - 1];
    if (h->addr != lock || h->depth != 1 || h->robust || h->shared != u->shared ||
        h->lockset_before != u->lockset_before || t->order.lockset != u->lockset)
        return false;
    uint32_t last = pf_epoch_last(t);
    if (last != u->published && !pf_reacquire_publish(t, u, last))
        return false;
    t->order.nheld--;
    t->order.lockset = u->lockset_before;
    pf_epoch_lockset_changed(t);
    return true;
}

#endif
