/*
 * listen.h - what the runtime tells a listener of synchronisation and of memory: in directed mode, the
 * trace (direct/trace/trace_sync.c).
 *
 * Model:   said at the moment it takes effect, by the thread that does it, with the frame of the
 *          interposed function on top. Without a listener it costs a load and a branch.
 */
#ifndef PF_RT_LISTEN_H
#define PF_RT_LISTEN_H

#include "pf_event.h"
#include "thread.h"

/* A range of memory has no history any more: mapped anew, or given back. No event of its own. */
#define PF_TELL_RENEWED PF_EV_KINDS

/* what: the lock, condition, object, block or number of the thread; more: the mutex of a wait, the size
 * of a block. */
extern void (*pf_listener)(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what,
                           uintptr_t more);

static inline void pf_tell(struct pf_thread *t, enum pf_event_kind kind, const volatile void *what,
                           uintptr_t more)
{
    if (__builtin_expect(pf_listener != NULL, 0))
        pf_listener(t, kind, (uintptr_t)what, more);
}

#endif
