/*
 * wrap_lock.h - accesses to the memory of a lock: locking reads it, init and destroy write it.
 *
 * Model:   locking is a read of the lock's first byte, init and destroy are writes of it. So it is
 *          a race if another thread frees, destroys or initialises a lock without order. Only calls
 *          made by compiled code count: what a library does with its own locks is ordered by means
 *          that the runtime does not see, and must not be reported.
 * Threads: any. Callers are inside PF_CALL, with a registered thread or none.
 */
#ifndef PF_RT_WRAP_LOCK_H
#define PF_RT_WRAP_LOCK_H

#include "cell.h"
#include "fast_update.h"
#include "hb.h"
#include "listener.h"
#include "lock_order.h"
#include "mode_ops.h"
#include "module.h"
#include "rt.h"
#include "runtime_access.h"
#include "wrap.h"

/* True if the call site in the caller's frame names this very function, so that compiled code made
 * the call. Positive answers are cached per thread. */
static inline bool pf_call_is_compiled(const struct pf_call *c)
{
    const struct pf_frame *caller = c->frame - 1;
    if (!caller->func || !pf_frame_site(caller))
        return false;
    struct pf_compiled_call key = {caller->func->number, pf_frame_site(caller),
                                   c->frame->func->number};
    struct pf_compiled_call *known =
        &c->t->interpose.compiled_calls[(key.caller * 31 + key.site) * 0x9e3779b9u >>
                                        (32 - PF_COMPILED_CALL_CACHE_BITS)];
    if (key.caller && key.own && known->caller == key.caller && known->site == key.site &&
        known->own == key.own)
        return true;
    const char *called = pf_rel_str(&pf_func_site(caller->func, pf_frame_site(caller) - 1)->var);
    const char *own = pf_rel_str(&c->frame->func->name);
    while (called && *called && *called == *own) {
        called++;
        own++;
    }
    if (!called || *called != *own)
        return false;
    *known = key;
    return true;
}

/* Checks the read of the lock, before the real call that locks. */
static inline void pf_lock_check_access(struct pf_call *c, const volatile void *lock)
{
    if (c->t && (!pf_rt.events || pf_direct.watching) && pf_stack_watched() &&
        pf_call_is_compiled(c))
        pf_runtime_read(c->t, lock, 1, pf_call_id(c, PF_NATIVE_LOCK));
}

/* The thread is about to wait for the lock, or has just taken it. */
static inline void pf_lock_check_order(struct pf_call *c, const volatile void *lock, bool shared)
{
    if (c->t && !pf_lock_order_known(c->t, lock, shared) && pf_rt.lock_order && !c->t->ignore_sync)
        pf_lock_order_add(c->t, lock, shared, pf_call_id(c, PF_NATIVE_CALL));
}

/*
 * Fast path for a lock that is free. Before the lock is taken, its cell is only inspected; the
 * access record is made afterwards, in the epoch that the thread then resumes (slot.h). If it were
 * made before, it would be the first record of a new epoch each time. A thread that has to wait
 * makes its check before it waits.
 */
enum pf_lock_check { PF_LOCK_CHECK_BEFORE, PF_LOCK_CHECK_AFTER, PF_LOCK_CHECK_NONE };

static inline uint64_t pf_lock_access_record(const struct pf_call *c, const volatile void *lock)
{
    return pf_access_make(c->t, 1u << ((uintptr_t)lock & 7), false, false);
}

static inline enum pf_lock_check pf_lock_precheck(struct pf_call *c, const volatile void *lock)
{
    if (!c->t || pf_rt.slow_path_only || c->t->check_only)
        return PF_LOCK_CHECK_BEFORE;
    if (pf_ignores(c->t, false) || !pf_stack_watched() || !pf_call_is_compiled(c))
        return PF_LOCK_CHECK_NONE;
    uint64_t *cell = pf_cell_of((uintptr_t)lock);
    return pf_cell_cannot_race(c->t->order.clock, cell, pf_lock_access_record(c, lock))
               ? PF_LOCK_CHECK_AFTER
               : PF_LOCK_CHECK_BEFORE;
}

/* The lock was taken on the fast path: makes the access record. */
static inline void pf_lock_record_access(struct pf_call *c, const volatile void *lock,
                                         enum pf_lock_check ask)
{
    uint64_t *cell = pf_cell_of((uintptr_t)lock), mine = pf_lock_access_record(c, lock);
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (ask != PF_LOCK_CHECK_AFTER || pf_access_covers(s1, mine) || pf_access_covers(s0, mine))
        return;
    mine |= pf_call_id(c, PF_NATIVE_LOCK);
    bool no_overflow_writes = *pf_cell_overflow_state(cell) != PF_OVERFLOW_WRITES;
    if (!(no_overflow_writes &&
          pf_cell_update_front(c->t->order.clock, cell, s0, s1, mine, false)) &&
        !pf_cell_fast_update_read(c->t->order.clock, cell, mine))
        pf_cell_access(c->t, (uintptr_t)lock, mine, PF_NO_SITE);
}

/* The same for an object that is not a lock: using it reads it, initialising and destroying it
 * write it. Not in directed mode, where such an access would be an event. */
static inline void pf_object_used(struct pf_call *c, const volatile void *object)
{
    if (c->t && pf_rt.object_uses && pf_stack_watched() && pf_call_is_compiled(c))
        pf_runtime_read(c->t, object, 1, pf_call_id(c, PF_NATIVE_READ));
}
static inline void pf_object_reset(struct pf_call *c, const volatile void *object)
{
    if (c->t && pf_rt.object_uses && pf_stack_watched() && pf_call_is_compiled(c))
        pf_runtime_write(c->t, object, 1, pf_call_id(c, PF_NATIVE_WRITE));
}

/* An attempt to lock failed; busy: because another thread holds the lock. */
static inline void pf_lock_failed(struct pf_call *c, const volatile void *lock, bool busy)
{
    if (busy)
        pf_listener_notify(c->t, PF_EV_TRYFAIL, lock, 0);
}

/* The lock was initialised or destroyed, or is about to be: forgets its order. */
static inline void pf_lock_reset(struct pf_call *c, const volatile void *lock, size_t size)
{
    if (!c->t)
        return;
    pf_mode->lock_reset(c->t, lock);
    if (pf_stack_watched() && pf_call_is_compiled(c))
        pf_runtime_write(c->t, lock, 1, pf_call_id(c, PF_NATIVE_WRITE));
    pf_hb_forget(lock, size);
}

#endif
