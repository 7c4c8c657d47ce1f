/*
 * trace_sync.c - what the runtime tells of synchronisation and memory, as events of the trace.
 *
 * Several things told by one interposed function share its index. A thread's stack is memory that it gets
 * anew: told as an allocation whose contents are not known, with the thread's beginning. So are mappings.
 *
 * Threads have the numbers of their contexts, since libc makes some that the runtime does not know. So a fork
 * becomes an event when the context is there, inside of the function that told of it.
 *
 * What a function does that is left out of the trace is left out here too, but for threads and memory, which are
 * always told.
 */
#include "listen.h"
#include "stack.h"
#include "tracer.h"

static __thread uint32_t forks_at; /* the site of a fork that was told, 0: none */
PF_NATIVE_AS(clone_of_libc, "clone");

void pf_trace_forked(uint32_t number)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!pf_direct.tracing || !t)
        return;
    struct pf_traced e = {.kind = PF_EV_FORK, .site = forks_at, .what = number};
    pf_nest();
    if (!forks_at) {
        pf_stack_push(&pf_native_clone_of_libc);
        e.site = pf_stack_id(t, PF_NATIVE_CALL);
    }
    pf_trace_event(&e);
    if (!forks_at)
        pf_stack_pop();
    forks_at = 0;
    pf_unnest();
}

static void trace_renewed(uintptr_t addr, uintptr_t size, uint32_t site)
{
    pf_trace_event(&(struct pf_traced){.kind = PF_EV_ALLOC,
                                       .site = site,
                                       .flags = PF_EF_UNKNOWN,
                                       .attached = true,
                                       .what = addr,
                                       .more = size});
}

static bool is_left_out(enum pf_event_kind kind)
{
    switch ((int)kind) {
    case PF_TELL_RENEWED:
    case PF_EV_FORK:
    case PF_EV_JOIN:
    case PF_EV_BEGIN:
    case PF_EV_END:
    case PF_EV_ALLOC:
    case PF_EV_FREE:
        return false;
    default:
        return true;
    }
}

static void hear(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    bool plain =
        __pf_tls.dispatch == PF_DISPATCH_PLAIN; /* libc's own thread: order goes through it */
    if (!pf_direct.tracing || t != __pf_tls.thread ||
        (is_left_out(kind) && !pf_stack_watched() && !plain))
        return;
    /* Begin, end and fences have no interposed function around them. */
    bool ends = kind == PF_EV_BEGIN || kind == PF_EV_END;
    const struct pf_func *top = __pf_tls.frame[-1].func;
    bool edge = ends || !top || top->entry;
    if (ends && t->is_fiber) {
        forks_at = 0;
        return; /* its events are those of the thread that runs it */
    }
    struct pf_traced e = {.kind = (uint8_t)kind,
                          .site = edge ? 0 : pf_stack_id(t, PF_NATIVE_CALL),
                          .what = what,
                          .more = more};
    if (kind == PF_EV_FORK) {
        forks_at = e.site;
        return;
    }
    if (kind == PF_TELL_RENEWED) {
        trace_renewed(what, more, e.site);
        return;
    }
    if (kind == PF_EV_JOIN)
        e.what = pf_thread_numbered((uint32_t)what)->context;
    if (kind == PF_EV_BEGIN) {
        t->context = pf_context_number(pf_context_self());
        e.what = e.more = 0;
    }
    pf_trace_event(&e);
    if (kind == PF_EV_BEGIN)
        trace_renewed(what, more, e.site);
}

void pf_trace_listen(void)
{
    if (pf_direct.tracing)
        pf_listener = hear;
}
