/*
 * trace_sync.c - what the runtime tells of synchronisation and memory, as events of the trace.
 *
 * Several things told by one interposed function share its index. A thread's stack is memory that it gets
 * anew: told as an allocation whose contents are not known, with the thread's beginning.
 */
#include "listen.h"
#include "stack.h"
#include "tracer.h"

static void hear(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    if (!pf_direct.tracing || t != __pf_tls.thread)
        return;
    /* Begin, end and fences have no interposed function around them. */
    bool edge = kind == PF_EV_BEGIN || kind == PF_EV_END || __pf_tls.frame[-1].func->entry;
    struct pf_traced e = {.kind = (uint8_t)kind,
                          .site = edge ? 0 : pf_stack_id(t, PF_NATIVE_CALL),
                          .what = what,
                          .more = more};
    if (kind == PF_EV_BEGIN) {
        e.what = e.more = 0;
        pf_trace_event(&e);
        e = (struct pf_traced){.kind = PF_EV_ALLOC,
                               .site = e.site,
                               .flags = PF_EF_UNKNOWN,
                               .attached = true,
                               .what = what,
                               .more = more};
    }
    pf_trace_event(&e);
}

void pf_trace_listen(void)
{
    if (pf_direct.tracing)
        pf_listener = hear;
}
