/*
 * thread_order.h - the part of a thread's state that belongs to happens-before: its slot and epoch,
 * its vector clock, the locks that it holds.
 */
#ifndef PF_RT_THREAD_ORDER_H
#define PF_RT_THREAD_ORDER_H

#include "pf_abi.h"
#include <stdbool.h>
#include <stdint.h>

struct pf_thread;

#define PF_HELD_MAX 64 /* locks of one thread that are listed */
#define PF_KNOWN_ORDERS 16 /* a power of two */

struct pf_held_lock {
    uintptr_t addr;
    uint32_t where; /* site id of the first acquisition of this lock by any thread */
    uint32_t lockset_before; /* the thread's lockset without this lock and those taken after it */
    uint32_t shared : 1, robust : 1, depth : 30;
    uint32_t taken_at; /* site id of this acquisition; 0: unknown */
};

/* The epoch that ended with the thread's last unlock. It can be resumed as long as the thread has
 * published its clock to nothing but that lock (slot.h). */
struct pf_resumable_epoch {
    uintptr_t lock; /* 0: there is no such epoch */
    uint32_t sid, clk, lockset;
    /* If `complete`: what lock_reacquire.h needs, namely the lock's entry in `held`, and the state
     * of the thread and of the lock's stripe at the unlock. */
    bool complete, shared;
    uint32_t lockset_before, where, version, acquire_count, published;
};

/* A span: consecutive epochs of a thread that no other thread can tell apart, because each has seen
 * all of them or none (slot.h). `from` is slot << PF_CLK_BITS | epoch, of the first one; `more` is
 * the number of epochs after it. */
struct pf_epoch_span {
    uint32_t from, more;
    /* the only lock to which the last epoch was published; 0: it was published elsewhere too */
    uintptr_t lock;
};

struct pf_thread_order {
    uint32_t sid;
    uint32_t clk; /* the current epoch; clock[sid] is the highest epoch begun so far */
    bool dirty; /* an access record of this epoch may be in the shadow */
    /* `lockset` has not been updated to `held`; the next access does it (lock_unwatched.h) */
    bool locks_stale;
    /* nothing in the state of the thread forbids the short paths of lock_unwatched.h */
    bool may_order_unwatched;
    /* the highest epoch before the current one that has access records; after resuming an epoch it
     * may be above `clk` */
    uint32_t highest_clk;
    struct pf_epoch_span span;
    uint32_t *clock; /* PF_SID_MAX + 1 entries */
    uint32_t nclock; /* clock[nclock..] is 0 */
    uint32_t acquire_count; /* how often an acquire made the clock grow */
    /* id of the clock that the thread would publish while it is not dirty (sync.h); 0: none */
    uint64_t clock_id;
    uint64_t last_clock_id; /* the last id that this thread assigned */
    uint32_t lockset; /* interned id of the set of locks held now (lockset.h) */
    uint32_t nheld;
    struct pf_held_lock held[PF_HELD_MAX];
    uint64_t known_orders[PF_KNOWN_ORDERS]; /* a cache, see lock_order.h */
    /* while sampling: unknown acquisitions still to be skipped; how many to skip next time */
    uint16_t orders_to_skip, orders_gap;
    struct pf_resumable_epoch resumable;
    /* the thread's last call that slept: its site id (0: none); how many threads existed when the
     * call ended; and, by slot, the epoch of each thread that ran then */
    uint32_t slept_at, slept_threads, *slept_clock;
    const void *cond; /* the condition variable that it waits on, or is about to */
    struct pf_thread *joining; /* the thread that it waits for in an untimed join; NULL: none */
    /* calls of pf_cell_count_overflow until the next pf_thread_update_global_order; their number
     * from one update to the next (global_order.c) */
    uint32_t global_order_in, global_order_every;
};

#endif
