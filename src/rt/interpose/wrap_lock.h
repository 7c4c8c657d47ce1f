/*
 * wrap_lock.h - a lock is memory too: locking uses it, making and destroying change it.
 *
 * Model:   asking for a lock is a read of its first byte, init and destroy are writes of it, so a
 *          lock that another thread frees, destroys or makes anew without order is a race. Only
 *          calls that compiled code makes itself count: what a library does with locks of its own
 *          is ordered in ways that are not seen, and must not be reported.
 * Threads: any. Callers are inside PF_CALL, with a known thread or none.
 */
#ifndef PF_RT_WRAP_LOCK_H
#define PF_RT_WRAP_LOCK_H

#include "access.h"
#include "cell.h"
#include "fast_update.h"
#include "hb.h"
#include "listen.h"
#include "rt.h"
#include "wrap.h"

/* Is the call site of the caller's frame a call of this very function? A thread remembers the calls
 * that were. */
static inline bool pf_call_is_direct(const struct pf_call *c)
{
    const struct pf_frame *caller = c->frame - 1;
    if (!caller->func || !pf_frame_site(caller))
        return false;
    struct pf_named key = {caller->func->number, pf_frame_site(caller), c->frame->func->number};
    struct pf_named *known = &c->t->named[(key.caller * 31 + key.site) % PF_NAMED];
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

/* Before the real call that locks. */
static inline void pf_lock_asked(struct pf_call *c, const volatile void *lock)
{
    if (c->t && (!pf_rt.events || pf_direct.watching) && pf_stack_watched() && pf_call_is_direct(c))
        pf_access_read(c->t, lock, 1, pf_here(c, PF_NATIVE_LOCK));
}

/*
 * A lock that is to be had at once: it is only looked at before, and the statement is made when it is taken, in the epoch
 * that the thread then goes on in (slot.h). Made before, it would be the first of an epoch of its own each time. Who has to
 * wait asks first.
 */
enum pf_lock_ask { PF_ASK_FIRST, PF_ASK_LATER, PF_ASK_NEVER };

static inline uint64_t pf_lock_statement(const struct pf_call *c, const volatile void *lock)
{
    return pf_stmt_make(c->t, 1u << ((uintptr_t)lock & 7), false, false);
}

static inline enum pf_lock_ask pf_lock_look(struct pf_call *c, const volatile void *lock)
{
    if (!c->t || pf_rt.events || pf_rt.careful || c->t->idle)
        return PF_ASK_FIRST;
    if (pf_ignores(c->t, false) || !pf_stack_watched() || !pf_call_is_direct(c))
        return PF_ASK_NEVER;
    uint64_t *cell = pf_cell_of((uintptr_t)lock);
    return pf_cell_calm(c->t->clock, cell, pf_lock_statement(c, lock)) ? PF_ASK_LATER
                                                                       : PF_ASK_FIRST;
}

/* It was taken without asking. */
static inline void pf_lock_used(struct pf_call *c, const volatile void *lock, enum pf_lock_ask ask)
{
    uint64_t *cell = pf_cell_of((uintptr_t)lock), mine = pf_lock_statement(c, lock);
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
    if (ask != PF_ASK_LATER || pf_stmt_covers(s1, mine) || pf_stmt_covers(s0, mine))
        return;
    mine |= pf_here(c, PF_NATIVE_LOCK);
    bool calm = *pf_cell_more_used(cell) != 2;
    if (!(calm && pf_cell_touch_lean(c->t->clock, cell, s0, s1, mine, false)) &&
        !pf_cell_touch_read(c->t->clock, cell, mine))
        pf_cell_access(c->t, (uintptr_t)lock, mine, PF_NO_SITE);
}

/* An attempt that failed because somebody has the lock. */
static inline void pf_lock_refused(struct pf_call *c, const volatile void *lock, bool busy)
{
    if (busy)
        pf_tell(c->t, PF_EV_TRYFAIL, lock, 0);
}

/* Init or destroy, done or about to be: what was known of the lock is forgotten. */
static inline void pf_lock_renewed(struct pf_call *c, const volatile void *lock, size_t size)
{
    if (!c->t)
        return;
    if (pf_stack_watched() && pf_call_is_direct(c))
        pf_access_write(c->t, lock, 1, pf_here(c, PF_NATIVE_WRITE));
    pf_hb_forget(lock, size);
}

#endif
