/*
 * listener.h - notifications of synchronisation and of memory, for a listener. In directed mode
 * there may be several, each of which calls the one that was set before it: the trace writer
 * (direct/trace/trace_sync.c), fuzzing policies, behaviours, memory models, invariants.
 *
 * Model:   a thread notifies at the moment its operation takes effect, with the frame of the
 *          interposed function on top of the stack. Without a listener this costs a load and a
 *          branch.
 * Threads: any; the listener is set at start. (An invariant is added when the program states it:
 * then there is one kernel thread.)
 */
#ifndef PF_RT_LISTENER_H
#define PF_RT_LISTENER_H

#include "pf_event.h"
#include "thread.h"

/* A range of memory has lost its history: it was mapped again, or returned to the kernel. Not
 * an event of the trace. */
#define PF_NOTIFY_MEMORY_RESET PF_EV_KINDS

/* what: the lock, condition variable, object or block, or a thread's number. more: the mutex of a
 * wait, or the size of a block. */
extern void (*pf_listener)(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what,
                           uintptr_t more);

static inline void pf_listener_notify(struct pf_thread *t, enum pf_event_kind kind,
                                      const volatile void *what, uintptr_t more)
{
    if (__builtin_expect(pf_listener != NULL, 0))
        pf_listener(t, kind, (uintptr_t)what, more);
}

#endif
