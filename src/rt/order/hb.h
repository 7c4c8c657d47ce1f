/*
 * hb.h - happens-before: sync objects by address, and locks.
 *
 * Model:   a sync object is a vector clock, found by any address that the target chooses (of a
 *          mutex, of an atomic). release: object := join(object, thread), and the thread starts a
 *          new epoch; acquire: thread := join(thread, object).
 * Memory:  created by the first release or lock; pf_hb_forget drops objects when their memory is
 *          freed.
 * Threads: any; striped locks inside. Not re-entrant.
 * Errors:  without memory an object is not created, and its order is lost, counted as
 *          PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_HB_H
#define PF_RT_HB_H

#include "thread.h"

struct pf_hb_clock;

/* What these operations do: clocks in free mode, events in event mode (direct/trace/event_order.c).
 * The functions below describe them. */
struct pf_order_ops {
    void (*acquire)(struct pf_thread *t, const volatile void *addr);
    void (*release)(struct pf_thread *t, const volatile void *addr);
    void (*release_store)(struct pf_thread *t, const volatile void *addr);
    void (*clock_acquire)(struct pf_thread *t, struct pf_hb_clock *c, const void *owner);
    void (*clock_release)(struct pf_thread *t, struct pf_hb_clock *c, const void *owner);
    void (*clock_release_store)(struct pf_thread *t, struct pf_hb_clock *c, const void *owner);
    /* t has taken a lock that it did not hold. */
    void (*hold)(struct pf_thread *t, uintptr_t lock, bool shared, uint32_t depth, uint32_t where);
    /* t has taken a lock that it holds already. */
    void (*hold_again)(struct pf_thread *t, uintptr_t lock, bool shared, uint32_t where);
    /* t is about to release the lock; h is its entry in t->order.held, or NULL. */
    void (*unhold)(struct pf_thread *t, uintptr_t lock, struct pf_held_lock *h);
    /* t ends, and the lock stays taken; h as above. */
    void (*abandon)(struct pf_thread *t, uintptr_t lock, struct pf_held_lock *h);
};
extern struct pf_order_ops pf_order_ops; /* free mode's, unless replaced at start */

static inline void pf_hb_acquire(struct pf_thread *t, const volatile void *addr)
{
    if (!t->ignore_sync)
        pf_order_ops.acquire(t, addr);
}
static inline void pf_hb_release(struct pf_thread *t, const volatile void *addr)
{
    if (!t->ignore_sync)
        pf_order_ops.release(t, addr);
}
/* object := thread, replacing what earlier releases left. */
static inline void pf_hb_release_store(struct pf_thread *t, const volatile void *addr)
{
    if (!t->ignore_sync)
        pf_order_ops.release_store(t, addr);
}
/* The memory is gone (free, munmap, destroy): drops the objects in [addr, addr + size). */
void pf_hb_forget(const volatile void *addr, size_t size);

/* Clocks without an address: of a file descriptor, a message, a signal in flight. */

/* An empty clock; never NULL: without memory, all share one. */
struct pf_hb_clock *pf_hb_clock_new(void);
void pf_hb_clock_free(struct pf_hb_clock *c);
static inline void pf_hb_clock_acquire(struct pf_thread *t, struct pf_hb_clock *c)
{
    pf_order_ops.clock_acquire(t, c, NULL);
}
static inline void pf_hb_clock_release(struct pf_thread *t, struct pf_hb_clock *c)
{
    pf_order_ops.clock_release(t, c, NULL);
}
static inline void pf_hb_clock_release_store(struct pf_thread *t, struct pf_hb_clock *c)
{
    pf_order_ops.clock_release_store(t, c, NULL);
}
/* The same for one of several clocks of an object, such as a round of a barrier; a trace names the
 * object. `store`: replaces what the clock contains. */
static inline void pf_hb_clock_acquire_of(struct pf_thread *t, struct pf_hb_clock *c,
                                          const void *owner)
{
    pf_order_ops.clock_acquire(t, c, owner);
}
static inline void pf_hb_clock_release_of(struct pf_thread *t, struct pf_hb_clock *c,
                                          const void *owner, bool store)
{
    (store ? pf_order_ops.clock_release_store : pf_order_ops.clock_release)(t, c, owner);
}

/* Locks: order as above, and the thread's set of held locks for reports. A lock taken `shared`
 * (rdlock) is ordered after earlier writers only, and its unlock before later writers only. */
enum pf_lock_flags { PF_LOCK_SHARED = 1, PF_LOCK_RECURSIVE = 2, PF_LOCK_ROBUST = 4 };
/* `where` is the site id of the call; 0: not computed. Then the id of the call on top of the stack
 * is stored if this is the lock's first acquisition; reports show that first acquisition. */
void pf_lock_taken(struct pf_thread *t, const volatile void *lock, unsigned flags, uint32_t where);
/* Called just before the real unlock. Ends one level of a recursive lock; only the last level is a
 * release. Unlocking a lock that the thread is not known to hold is a release too, so that no order
 * is lost; returns false then. */
bool pf_lock_dropping(struct pf_thread *t, const volatile void *lock);
bool pf_lock_is_held(struct pf_thread *t, const volatile void *lock); /* by t */
uint32_t pf_lock_depth(struct pf_thread *t, const volatile void *lock); /* 0: not held by t */
/* Drops all levels at once, as a condition wait does; t->order.cond is the condition variable, or
 * NULL for other callers. Returns the depth, to be passed to pf_lock_retaken. */
#define PF_LOCK_DEPTH_ROBUST 0x80000000u
uint32_t pf_lock_drop_all(struct pf_thread *t, const volatile void *lock);
/* t ends while it holds the lock: publishes its clock. Only for a robust lock is this an unlock in
 * the trace; any other one stays taken. */
void pf_lock_abandon(struct pf_thread *t, const volatile void *lock);
void pf_lock_retaken(struct pf_thread *t, const volatile void *lock, uint32_t depth,
                     uint32_t where);
/* Computes t's lockset, which is stale (lock_unwatched.h), before t makes an access record. */
void pf_lockset_refresh(struct pf_thread *t);

#endif
