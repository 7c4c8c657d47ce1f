#include "hb.h"
#include "limits.h"
#include "listen.h"
#include "lock_reacquire.h"
#include "lock_unwatched.h"
#include "lockset.h"
#include "oracle_log.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "sync.h"

void (*pf_listener)(struct pf_thread *, enum pf_event_kind, uintptr_t, uintptr_t);

/* Every release ends the epoch: what the thread does from here on is not told to anybody yet.
 *
 * In directed mode nobody asks the clocks: a listener is told, and locks are listed as held, that is all. */

void pf_hb_acquire(struct pf_thread *t, const volatile void *addr)
{
    if (t->ignore_sync)
        return;
    uintptr_t a = (uintptr_t)addr;
    if (pf_rt.events) {
        pf_tell(t, PF_EV_TAKE, addr, 0);
        return;
    }
    if (pf_sync_absent(a))
        return;
    pf_oracle_begin();
    pf_oracle_event(t, "acq", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, false);
    if (s) {
        pf_clock_to_thread(t, &s->clock);
        s->learned = true;
    }
    pf_spin_unlock(l);
    pf_oracle_end();
}

/* store: what was there is replaced, not added to. */
static inline void release(struct pf_thread *t, const volatile void *addr, bool store)
{
    if (t->ignore_sync)
        return;
    uintptr_t a = (uintptr_t)addr;
    if (pf_rt.events) {
        pf_tell(t, PF_EV_POST, addr, 0);
        return;
    }
    pf_oracle_begin();
    pf_oracle_event(t, store ? "relstore" : "rel", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, true);
    if (s) {
        if (store)
            pf_clock_set_thread(&s->clock, t);
        else
            pf_clock_from_thread(&s->clock, t);
        pf_sync_unnumber(s);
        s->heads = ~0ull; /* no store to an atomic there ends it */
        s->head = store ? t->number + 1 : 0;
        pf_sync_changed(l);
    }
    pf_spin_unlock(l);
    pf_epoch_next(t);
    pf_oracle_end();
}

void pf_hb_release(struct pf_thread *t, const volatile void *addr) { release(t, addr, false); }
void pf_hb_release_store(struct pf_thread *t, const volatile void *addr) { release(t, addr, true); }

/* Clocks without an address: a descriptor's, a message's. */

struct free_clock {
    struct pf_hb_clock clock;
    struct pf_spin lock;
};

struct pf_hb_clock *pf_hb_clock_new(void)
{
    static struct free_clock dummy; /* of all that could not be had: more order than there is */
    struct free_clock *c = pf_store_take(0);
    if (!c)
        return &dummy.clock;
    *c = (struct free_clock){0};
    return &c->clock;
}

void pf_hb_clock_free(struct pf_hb_clock *c)
{
    pf_clock_clear(c);
    if ((uintptr_t)c >= PF_STORE_BASE && (uintptr_t)c < PF_STORE_BASE + PF_STORE_SIZE)
        pf_store_give(c, 0);
}

void pf_hb_clock_acquire(struct pf_thread *t, struct pf_hb_clock *c)
{
    struct free_clock *f = (struct free_clock *)c;
    if (pf_rt.events) {
        pf_tell(t, PF_EV_TAKE, c, 0);
        return;
    }
    pf_oracle_begin();
    pf_oracle_event(t, "acq", (uintptr_t)c, 0);
    pf_spin_lock(&f->lock);
    pf_clock_to_thread(t, c);
    pf_spin_unlock(&f->lock);
    pf_oracle_end();
}

static void clock_release(struct pf_thread *t, struct pf_hb_clock *c, bool store)
{
    struct free_clock *f = (struct free_clock *)c;
    if (pf_rt.events) {
        pf_tell(t, PF_EV_POST, c, 0);
        return;
    }
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

void pf_hb_clock_release(struct pf_thread *t, struct pf_hb_clock *c) { clock_release(t, c, false); }
void pf_hb_clock_release_store(struct pf_thread *t, struct pf_hb_clock *c)
{
    clock_release(t, c, true);
}

/* Locks. */

static struct pf_held *held_find(struct pf_thread *t, uintptr_t addr)
{
    for (uint32_t i = t->nheld; i-- > 0;)
        if (t->held[i].addr == addr)
            return &t->held[i];
    return NULL;
}

/* Returns where the lock was first taken; *again: nobody learned from t's last release of it; *set,
 * unless NULL: the lockset of t with it. */
static uint32_t lock_acquire(struct pf_thread *t, uintptr_t a, bool shared, uint32_t where,
                             bool *again, uint32_t *set)
{
    *again = false;
    if (t->ignore_sync) {
        if (set)
            *set = pf_lockset_with(t->lockset, a, where, shared);
        return where;
    }
    if (pf_rt.events)
        return where ? where : pf_stack_id(t, PF_NATIVE_CALL);
    pf_oracle_begin();
    pf_oracle_event(t, shared ? "rdlock" : "lock", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, true);
    if (s) {
        if (s->head != t->number + 1) {
            pf_clock_to_thread(t, &s->clock);
            s->learned = true;
            pf_clock_compare(t, s);
        }
        *again = shared ? pf_again_reader(t, a) : !s->learned && !s->readers.n;
        if (!shared && s->readers.n) { /* what t tells others from now on has it */
            pf_clock_to_thread(t, &s->readers);
            s->readers.n = 0;
            pf_sync_changed(l); /* for readers who come again (lock_reacquire.h) */
        }
        if (!s->first)
            s->first = where ? where : pf_stack_id(t, PF_NATIVE_CALL);
        where = s->first;
    }
    uint32_t alone = s && !t->lockset ? s->alone : 0;
    if (set && alone && (alone & 1) == shared) {
        *set = alone >> 1;
    } else if (set) {
        *set = pf_lockset_with(t->lockset, a, where, shared);
        if (s && !t->lockset)
            s->alone = *set << 1 | shared;
    }
    pf_spin_unlock(l);
    pf_oracle_end();
    return where;
}

/* Returns the number of what was told; 0: none. */
static uint64_t lock_release(struct pf_thread *t, uintptr_t a, bool shared, bool known)
{
    if (t->ignore_sync || pf_rt.events)
        return 0;
    uint64_t value = 0;
    pf_oracle_begin();
    pf_oracle_event(t, shared ? "rdunlock" : known ? "unlock" : "rel", a, 0);
    struct pf_spin *l = pf_sync_lock(a);
    struct pf_sync *s = pf_sync_find(a, true);
    if (s && shared) {
        pf_clock_from_thread(&s->readers, t);
        pf_sync_unnumber(s);
        pf_epoch_undoable(t, a);
    } else if (s && known) { /* the holder knows all that is in there */
        struct pf_epochs span = t->span;
        bool again = span.lock == a && s->head == t->number + 1 && !s->learned;
        pf_clock_set_thread(&s->clock, t);
        if (again) {
            t->span = span;
            pf_span_told_again(t, pf_epoch_last(t));
        }
        t->span.lock = a;
        if (pf_rt.sampling)
            value = s->value = pf_clock_value(t);
        else
            pf_sync_unnumber(s);
        s->head = t->number + 1;
        s->learned = false;
        pf_epoch_undoable(t, a);
    } else if (s) {
        pf_clock_from_thread(&s->clock, t);
        pf_sync_unnumber(s);
        s->head = 0;
    }
    if (!shared)
        pf_sync_changed(l);
    pf_spin_unlock(l);
    pf_oracle_end();
    return value;
}

uint32_t pf_quick_with(struct pf_thread *t, const struct pf_sync *s)
{
    if (!t->lockset && s->alone && !(s->alone & 1))
        return s->alone >> 1;
    return pf_lockset_with(t->lockset, s->addr, s->first, false);
}

static void settle(struct pf_thread *t)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < t->nheld; i++) {
        struct pf_held *h = &t->held[i];
        h->before = set;
        set = pf_lockset_with(set, h->addr, h->where, h->shared);
    }
    t->locks_stale = false;
    if (set == t->lockset)
        return;
    t->lockset = set;
    pf_epoch_lockset_changed(t);
}

void pf_lock_watched(struct pf_thread *t, struct pf_frame *frame)
{
    if (frame < t->watched_from)
        t->watched_from = frame;
    if (t->locks_stale)
        settle(t);
}

static void hold(struct pf_thread *t, uintptr_t a, bool shared, uint32_t depth, uint32_t where)
{
    bool again, later = pf_lock_unwatched(t);
    uint32_t set;
    if (!later && t->locks_stale)
        settle(t);
    where = lock_acquire(t, a, shared, where, &again, later ? NULL : &set);
    if (t->nheld == PF_HELD_MAX) {
        pf_limit_hit(PF_LIMIT_LOCKS);
        return;
    }
    t->held[t->nheld++] = (struct pf_held){
        .addr = a, .where = where, .before = t->lockset, .shared = shared, .depth = depth};
    if (pf_rt.events)
        return;
    if (later) {
        t->locks_stale = true;
        return;
    }
    t->lockset = set;
    if (!again || !pf_epoch_undo(t, a))
        pf_epoch_lockset_changed(t);
}

/* Publishes and ends the epoch, with or without an entry among the held ones. */
static void unhold(struct pf_thread *t, uintptr_t a, struct pf_held *h)
{
    bool later = pf_lock_unwatched(t);
    if (!later && t->locks_stale)
        settle(t);
    uint32_t sid = t->sid, told = pf_epoch_last(t);
    uint64_t value = lock_release(t, a, h && h->shared, h != NULL);
    if (h) {
        struct pf_held *last = &t->held[--t->nheld];
        if (h == last)
            pf_again_note(t, h, told);
        if (!later)
            t->lockset = h->before;
        for (; h < last; h++) { /* those taken later are held without it now */
            h[0] = h[1];
            h->before = t->lockset;
            if (!later && !pf_rt.events)
                t->lockset = pf_lockset_with(t->lockset, h->addr, h->where, h->shared);
        }
    }
    if (later) {
        t->undo.lock = 0;
        t->locks_stale = true;
        pf_epoch_next(t);
    } else if (!pf_rt.events) {
        pf_epoch_lockset_changed(t);
    }
    if (value && t->sid == sid && !t->dirty) /* a new epoch, with nothing in it yet */
        t->value = value;
}

void pf_lock_taken(struct pf_thread *t, const volatile void *lock, unsigned flags, uint32_t where)
{
    if (!(flags & ~PF_LOCK_SHARED) && pf_again_taken(t, (uintptr_t)lock, flags & PF_LOCK_SHARED))
        return;
    struct pf_held *h = held_find(t, (uintptr_t)lock);
    pf_tell(t, flags & PF_LOCK_SHARED ? PF_EV_RDLOCK : PF_EV_LOCK, lock, 0);
    if (!h) {
        hold(t, (uintptr_t)lock, flags & PF_LOCK_SHARED, 1, where);
        if (flags & PF_LOCK_ROBUST && (h = held_find(t, (uintptr_t)lock)))
            h->robust = true;
        return;
    }
    if (flags & (PF_LOCK_RECURSIVE | PF_LOCK_SHARED))
        h->depth++; /* else somebody unlocked it for us, and we have it anew */
    bool again;
    lock_acquire(t, (uintptr_t)lock, h->shared, where, &again, NULL);
}

void pf_lock_dropping(struct pf_thread *t, const volatile void *lock)
{
    if (pf_again_dropping(t, (uintptr_t)lock))
        return;
    struct pf_held *h = held_find(t, (uintptr_t)lock);
    pf_tell(t, !h ? PF_EV_POST : h->shared ? PF_EV_RDUNLOCK : PF_EV_UNLOCK, lock, 0);
    if (h && --h->depth)
        return;
    unhold(t, (uintptr_t)lock, h);
}

uint32_t pf_lock_drop_all(struct pf_thread *t, const volatile void *lock)
{
    struct pf_held *h = held_find(t, (uintptr_t)lock);
    uint32_t depth = h ? h->depth : 1;
    for (uint32_t i = 0; h && !t->cond && i < depth; i++)
        pf_tell(t, h->shared ? PF_EV_RDUNLOCK : PF_EV_UNLOCK, lock, 0);
    if (t->cond)
        pf_tell(t, PF_EV_WAIT, t->cond, (uintptr_t)lock);
    depth |= h && h->robust ? PF_LOCK_DEPTH_ROBUST : 0;
    unhold(t, (uintptr_t)lock, h);
    return depth;
}

void pf_lock_abandon(struct pf_thread *t, const volatile void *lock)
{
    struct pf_held *h = held_find(t, (uintptr_t)lock);
    if (h && h->robust)
        pf_lock_drop_all(t, lock);
    else
        unhold(t, (uintptr_t)lock, h);
}

void pf_lock_retaken(struct pf_thread *t, const volatile void *lock, uint32_t depth, uint32_t where)
{
    pf_tell(t, PF_EV_WAKE, t->cond, (uintptr_t)lock);
    t->cond = NULL;
    hold(t, (uintptr_t)lock, false, depth & ~PF_LOCK_DEPTH_ROBUST, where);
    struct pf_held *h = depth & PF_LOCK_DEPTH_ROBUST ? held_find(t, (uintptr_t)lock) : NULL;
    if (h)
        h->robust = true;
}
