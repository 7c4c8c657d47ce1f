/*
 * hb.c - see hb.h. Every release ends the thread's epoch, so that what the thread does afterwards
 * is not part of what was published.
 *
 * The operations of pf_order_ops are those of free mode; event mode has its own, without clocks.
 */
#include "hb.h"
#include "limits.h"
#include "listener.h"
#include "lock_reacquire.h"
#include "lock_unwatched.h"
#include "lockset.h"
#include "oracle_log.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "sync.h"

static void acquire(struct pf_thread *t, const volatile void *addr)
{
    uintptr_t a = (uintptr_t)addr;
    if (pf_sync_absent(a))
        return;
    pf_oracle_begin();
    pf_oracle_event(t, "acq", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, false);
    if (s) {
        pf_clock_to_thread(t, &s->clock);
        s->acquired_by_other = true;
    }
    pf_spin_unlock(l);
    pf_oracle_end();
}

/* store: replaces the object's clock instead of joining it. */
static inline void publish(struct pf_thread *t, const volatile void *addr, bool store)
{
    uintptr_t a = (uintptr_t)addr;
    pf_oracle_begin();
    pf_oracle_event(t, store ? "relstore" : "rel", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, true);
    if (s) {
        if (store)
            pf_clock_set_thread(&s->clock, t);
        else
            pf_clock_from_thread(&s->clock, t);
        pf_sync_clear_clock_id(s);
        /* a later relaxed store to an atomic at this address must not clear this clock */
        s->sequence_heads = ~0ull;
        s->sole_releaser = store ? t->number + 1 : 0;
        pf_sync_changed(l);
    }
    pf_spin_unlock(l);
    pf_epoch_next(t);
    pf_oracle_end();
}

static void release(struct pf_thread *t, const volatile void *addr) { publish(t, addr, false); }
static void release_store(struct pf_thread *t, const volatile void *addr)
{
    publish(t, addr, true);
}

/* Clocks without an address: of descriptors and messages. */

struct standalone_clock {
    struct pf_hb_clock clock;
    struct pf_spin lock;
};

/* Shared by all clocks for which there was no memory. It only grows, so that none of its users
 * loses order; they have too much of it. */
static struct standalone_clock shared_clock;

struct pf_hb_clock *pf_hb_clock_new(void)
{
    struct standalone_clock *c = pf_store_alloc(0);
    if (!c)
        return &shared_clock.clock;
    *c = (struct standalone_clock){0};
    return &c->clock;
}

void pf_hb_clock_free(struct pf_hb_clock *c)
{
    if (c == &shared_clock.clock)
        return;
    pf_clock_clear(c);
    pf_store_free(c, 0);
}

static void clock_acquire(struct pf_thread *t, struct pf_hb_clock *c, const void *owner)
{
    (void)owner;
    struct standalone_clock *f = (struct standalone_clock *)c;
    pf_oracle_begin();
    pf_oracle_event(t, "acq", (uintptr_t)c, 0);
    pf_spin_lock(&f->lock);
    pf_clock_to_thread(t, c);
    pf_spin_unlock(&f->lock);
    pf_oracle_end();
}

static inline void clock_publish(struct pf_thread *t, struct pf_hb_clock *c, bool store)
{
    struct standalone_clock *f = (struct standalone_clock *)c;
    store = store && f != &shared_clock;
    pf_oracle_begin();
    pf_oracle_event(t, store ? "relstore" : "rel", (uintptr_t)c, 0);
    pf_spin_lock(&f->lock);
    if (store)
        pf_clock_set_thread(c, t);
    else
        pf_clock_from_thread(c, t);
    pf_spin_unlock(&f->lock);
    pf_epoch_next(t);
    pf_oracle_end();
}

static void clock_release(struct pf_thread *t, struct pf_hb_clock *c, const void *owner)
{
    (void)owner;
    clock_publish(t, c, false);
}
static void clock_release_store(struct pf_thread *t, struct pf_hb_clock *c, const void *owner)
{
    (void)owner;
    clock_publish(t, c, true);
}

/* Locks. */

static struct pf_held_lock *held_find(struct pf_thread *t, uintptr_t addr)
{
    for (uint32_t i = t->order.nheld; i-- > 0;)
        if (t->order.held[i].addr == addr)
            return &t->order.held[i];
    return NULL;
}

/* Returns the site id of the lock's first acquisition. *again: no other thread has acquired t's
 * last release of this lock. *set, unless `set` is NULL: the lockset of t with this lock. */
static uint32_t lock_acquire(struct pf_thread *t, uintptr_t a, bool shared, uint32_t where,
                             bool *again, uint32_t *set)
{
    *again = false;
    if (t->ignore_sync) {
        if (set)
            *set = pf_lockset_with(t->order.lockset, a, where, shared);
        return where;
    }
    pf_oracle_begin();
    pf_oracle_event(t, shared ? "rdlock" : "lock", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, true);
    if (s) {
        if (s->sole_releaser != t->number + 1) {
            pf_clock_to_thread(t, &s->clock);
            s->acquired_by_other = true;
            pf_clock_unify_ids(t, s);
        }
        *again =
            shared ? pf_reacquire_no_writer_since(t, a) : !s->acquired_by_other && !s->readers.n;
        /* the readers' clock moves into t's clock, and t's next unlock publishes it */
        if (!shared && s->readers.n) {
            pf_clock_to_thread(t, &s->readers);
            s->readers.n = 0;
            pf_sync_changed(l); /* so that readers do not take the fast path of lock_reacquire.h */
        }
        if (!s->first_taken)
            s->first_taken = where ? where : pf_stack_id(t, PF_NATIVE_CALL);
        where = s->first_taken;
    }
    uint32_t own_lockset_here = s && !t->order.lockset ? s->own_lockset : 0;
    if (set && own_lockset_here && (own_lockset_here & 1) == shared) {
        *set = own_lockset_here >> 1;
    } else if (set) {
        *set = pf_lockset_with(t->order.lockset, a, where, shared);
        if (s && !t->order.lockset)
            s->own_lockset = *set << 1 | shared;
    }
    pf_spin_unlock(l);
    pf_oracle_end();
    return where;
}

/* Returns the id of the clock that was published; 0: it has no id, or nothing was published. known:
 * t is known to hold the lock. */
static uint64_t lock_release(struct pf_thread *t, uintptr_t a, bool shared, bool known)
{
    if (t->ignore_sync)
        return 0;
    uint64_t clock_id = 0;
    pf_oracle_begin();
    pf_oracle_event(t, shared ? "rdunlock" : known ? "unlock" : "rel", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, true);
    if (s && shared) {
        pf_clock_from_thread(&s->readers, t);
        pf_sync_clear_clock_id(s);
        pf_epoch_set_resumable(t, a);
    } else if (s && known) {
        /* the holder has acquired everything in the lock's clock, so its clock replaces it */
        struct pf_epoch_span span = t->order.span;
        bool again = span.lock == a && s->sole_releaser == t->number + 1 && !s->acquired_by_other;
        pf_clock_set_thread(&s->clock, t);
        if (again) {
            t->order.span = span;
            pf_span_extend(t, pf_epoch_last(t));
        }
        t->order.span.lock = a;
        if (pf_rt.sampling)
            clock_id = s->clock_id = pf_clock_id(t);
        else
            pf_sync_clear_clock_id(s);
        s->sole_releaser = t->number + 1;
        s->acquired_by_other = false;
        pf_epoch_set_resumable(t, a);
    } else if (s) {
        pf_clock_from_thread(&s->clock, t);
        pf_sync_clear_clock_id(s);
        s->sole_releaser = 0;
    }
    if (!shared)
        pf_sync_changed(l);
    pf_spin_unlock(l);
    pf_oracle_end();
    return clock_id;
}

void pf_lockset_refresh(struct pf_thread *t)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < t->order.nheld; i++) {
        struct pf_held_lock *h = &t->order.held[i];
        h->lockset_before = set;
        set = pf_lockset_with(set, h->addr, h->where, h->shared);
    }
    t->order.locks_stale = false;
    if (set != t->order.lockset) {
        t->order.lockset = set;
        pf_epoch_lockset_changed(t);
    }
    pf_thread_update_key(t);
}

static void hold(struct pf_thread *t, uintptr_t a, bool shared, uint32_t depth, uint32_t where)
{
    bool again, deferred = pf_lock_unwatched(t);
    uint32_t set;
    if (!deferred && t->order.locks_stale)
        pf_lockset_refresh(t);
    uint32_t first = lock_acquire(t, a, shared, where, &again, deferred ? NULL : &set);
    if (t->order.nheld == PF_HELD_MAX) {
        pf_limit_hit(PF_LIMIT_LOCKS);
        return;
    }
    t->order.held[t->order.nheld++] = (struct pf_held_lock){.addr = a,
                                                            .where = first,
                                                            .lockset_before = t->order.lockset,
                                                            .shared = shared,
                                                            .depth = depth,
                                                            .taken_at = where};
    if (deferred) {
        pf_unwatched_defer_lockset(t);
        return;
    }
    t->order.lockset = set;
    if (!again || !pf_epoch_resume(t, a))
        pf_epoch_lockset_changed(t);
}

static void hold_again(struct pf_thread *t, uintptr_t a, bool shared, uint32_t where)
{
    bool again;
    lock_acquire(t, a, shared, where, &again, NULL);
}

/* Publishes t's clock and ends the epoch. */
static void unhold(struct pf_thread *t, uintptr_t a, struct pf_held_lock *h)
{
    bool deferred = pf_lock_unwatched(t);
    if (!deferred && t->order.locks_stale)
        pf_lockset_refresh(t);
    uint32_t sid = t->order.sid, published = pf_epoch_last(t);
    uint64_t clock_id = lock_release(t, a, h && h->shared, h != NULL);
    if (h) {
        struct pf_held_lock *last = &t->order.held[--t->order.nheld];
        if (h == last)
            pf_reacquire_record(t, h, published);
        if (!deferred)
            t->order.lockset = h->lockset_before;
        for (; h < last; h++) { /* locks taken after it are held without it now */
            h[0] = h[1];
            h->lockset_before = t->order.lockset;
            if (!deferred)
                t->order.lockset = pf_lockset_with(t->order.lockset, h->addr, h->where, h->shared);
        }
    }
    if (deferred) {
        t->order.resumable.lock = 0;
        pf_unwatched_defer_lockset(t);
        pf_epoch_next(t);
    } else {
        pf_epoch_lockset_changed(t);
    }
    if (clock_id && t->order.sid == sid &&
        !t->order.dirty) /* the new epoch has no access records yet */
        t->order.clock_id = clock_id;
}

struct pf_order_ops pf_order_ops = {
    .acquire = acquire,
    .release = release,
    .release_store = release_store,
    .clock_acquire = clock_acquire,
    .clock_release = clock_release,
    .clock_release_store = clock_release_store,
    .hold = hold,
    .hold_again = hold_again,
    .unhold = unhold,
    .abandon = unhold,
};

void pf_lock_taken(struct pf_thread *t, const volatile void *lock, unsigned flags, uint32_t where)
{
    if (!(flags & ~PF_LOCK_SHARED) &&
        pf_reacquire_lock(t, (uintptr_t)lock, flags & PF_LOCK_SHARED, where))
        return;
    struct pf_held_lock *h = held_find(t, (uintptr_t)lock);
    pf_listener_notify(t, flags & PF_LOCK_SHARED ? PF_EV_RDLOCK : PF_EV_LOCK, lock, 0);
    if (!h) {
        pf_order_ops.hold(t, (uintptr_t)lock, flags & PF_LOCK_SHARED, 1, where);
        if (flags & PF_LOCK_ROBUST && (h = held_find(t, (uintptr_t)lock)))
            h->robust = true;
        return;
    }
    /* t holds the lock already. If the lock is neither recursive nor shared, another thread
     * unlocked it on behalf of t, and t has taken it again. */
    if (flags & (PF_LOCK_RECURSIVE | PF_LOCK_SHARED))
        h->depth++;
    pf_order_ops.hold_again(t, (uintptr_t)lock, h->shared, where);
}

bool pf_lock_dropping(struct pf_thread *t, const volatile void *lock)
{
    if (pf_reacquire_unlock(t, (uintptr_t)lock))
        return true;
    struct pf_held_lock *h = held_find(t, (uintptr_t)lock);
    pf_listener_notify(t, !h ? PF_EV_POST : h->shared ? PF_EV_RDUNLOCK : PF_EV_UNLOCK, lock, 0);
    if (h && --h->depth)
        return true;
    pf_order_ops.unhold(t, (uintptr_t)lock, h);
    return h != NULL;
}

bool pf_lock_is_held(struct pf_thread *t, const volatile void *lock)
{
    return held_find(t, (uintptr_t)lock) != NULL;
}

uint32_t pf_lock_depth(struct pf_thread *t, const volatile void *lock)
{
    const struct pf_held_lock *h = held_find(t, (uintptr_t)lock);
    return h ? h->depth : 0;
}

uint32_t pf_lock_drop_all(struct pf_thread *t, const volatile void *lock)
{
    struct pf_held_lock *h = held_find(t, (uintptr_t)lock);
    uint32_t depth = h ? h->depth : 1;
    for (uint32_t i = 0; h && !t->order.cond && i < depth; i++)
        pf_listener_notify(t, h->shared ? PF_EV_RDUNLOCK : PF_EV_UNLOCK, lock, 0);
    if (t->order.cond)
        pf_listener_notify(t, PF_EV_WAIT, t->order.cond, (uintptr_t)lock);
    depth |= h && h->robust ? PF_LOCK_DEPTH_ROBUST : 0;
    pf_order_ops.unhold(t, (uintptr_t)lock, h);
    return depth;
}

void pf_lock_abandon(struct pf_thread *t, const volatile void *lock)
{
    struct pf_held_lock *h = held_find(t, (uintptr_t)lock);
    if (h && h->robust)
        pf_lock_drop_all(t, lock);
    else
        pf_order_ops.abandon(t, (uintptr_t)lock, h);
}

void pf_lock_retaken(struct pf_thread *t, const volatile void *lock, uint32_t depth, uint32_t where)
{
    pf_listener_notify(t, PF_EV_WAKE, t->order.cond, (uintptr_t)lock);
    t->order.cond = NULL;
    pf_order_ops.hold(t, (uintptr_t)lock, false, depth & ~PF_LOCK_DEPTH_ROBUST, where);
    struct pf_held_lock *h = depth & PF_LOCK_DEPTH_ROBUST ? held_find(t, (uintptr_t)lock) : NULL;
    if (h)
        h->robust = true;
}
