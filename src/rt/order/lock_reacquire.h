/*
 * lock_reacquire.h - a lock that its last holder takes again, or a reader before any writer came.
 *
 * Model:   what t told the lock when it gave it back is still all that the lock has to tell: nobody has learned from it,
 *          and nothing was added (the version of its stripe tells; for a writer also `learned` and `readers`). So t learns
 *          nothing and goes on in the epoch it had (slot.h); and if it learns nothing from others either until it gives the
 *          lock back, only the number of its last epoch is new.
 * Threads: each for itself. While t holds the lock nobody may change what is asked here, but readers their own entries, for
 *          which there is the stripe.
 */
#ifndef PF_RT_LOCK_AGAIN_H
#define PF_RT_LOCK_AGAIN_H

#include "rt.h"
#include "slot.h"
#include "sync.h"

static inline uint32_t pf_again_version(uintptr_t lock)
{
    return __atomic_load_n(&pf_sync_stripe(lock)->version, __ATOMIC_ACQUIRE);
}

/* t has just given back the lock that it took last, the long way: h was its entry, `told` its last epoch. */
static inline void pf_again_note(struct pf_thread *t, const struct pf_held *h, uint32_t told)
{
    struct pf_undo *u = &t->undo;
    if (u->lock != h->addr || h->robust)
        return;
    u->whole = true;
    u->shared = h->shared;
    u->version = pf_again_version(h->addr);
    u->told = told;
    u->news = t->news;
    u->before = h->before;
    u->where = h->where;
}

/* Has no writer come since t gave the lock back as a reader? What others told meanwhile does not matter. */
static inline bool pf_again_reader(const struct pf_thread *t, uintptr_t lock)
{
    const struct pf_undo *u = &t->undo;
    return u->lock == lock && u->whole && u->shared && u->version == pf_again_version(lock);
}

/* Are there no modes in which every lock is looked at? */
static inline bool pf_again_wanted(const struct pf_thread *t)
{
    return !(pf_rt.sampling | pf_rt.careful | (t->ignore_sync != 0));
}

/* t has just taken the lock. False: nothing was done. */
static inline bool pf_again_taken(struct pf_thread *t, uintptr_t lock, bool shared)
{
    const struct pf_undo *u = &t->undo;
    if (u->lock != lock || !u->whole || u->shared != shared || u->before != t->lockset ||
        !pf_again_wanted(t) || t->nheld == PF_HELD_MAX || u->version != pf_again_version(lock))
        return false;
    const struct pf_sync *s = shared ? NULL : pf_sync_peek(lock);
    if (!shared && (!s || s->learned || s->readers.n))
        return false;
    for (uint32_t i = 0; i < t->nheld; i++)
        if (t->held[i].addr == lock)
            return false;
    struct pf_held h = {lock, u->where, u->before, shared, 0, 1};
    t->lockset = u->lockset;
    if (!pf_epoch_undo(t, lock)) {
        t->lockset = u->before;
        return false;
    }
    t->held[t->nheld++] = h;
    return true;
}

/* The lock learns of t's last epoch, and nothing else. False: it has to be done the long way. */
static inline bool pf_again_tell(struct pf_thread *t, struct pf_undo *u, uint32_t last)
{
    struct pf_spin *l = pf_sync_lock(u->lock);
    struct pf_sync *s = pf_sync_find(u->lock, false);
    struct pf_hb_clock *c = !s ? NULL : u->shared ? &s->readers : &s->clock;
    bool has = c && c->n > t->sid && c->at[t->sid] == u->told;
    if (has) {
        c->at[t->sid] = u->told = last;
        if (t->span.lock == u->lock && !u->shared && !s->learned)
            pf_span_told_again(t, last);
        else
            pf_span_told(t, last);
    }
    pf_spin_unlock(l);
    return has;
}

/* t is about to give back a lock. False: nothing was done. */
static inline bool pf_again_dropping(struct pf_thread *t, uintptr_t lock)
{
    struct pf_undo *u = &t->undo;
    if (u->lock != lock || !u->whole || u->clk != t->clk || u->sid != t->sid ||
        u->news != t->news || !t->dirty || !t->nheld || !pf_again_wanted(t) ||
        u->version != pf_again_version(lock))
        return false;
    const struct pf_held *h = &t->held[t->nheld - 1];
    if (h->addr != lock || h->depth != 1 || h->robust || h->shared != u->shared ||
        h->before != u->before || t->lockset != u->lockset)
        return false;
    uint32_t last = pf_epoch_last(t);
    if (last != u->told && !pf_again_tell(t, u, last))
        return false;
    t->nheld--;
    t->lockset = u->before;
    pf_epoch_lockset_changed(t);
    return true;
}

#endif
