/*
 * trace_sync.c - synchronisation and memory operations, as reported by the runtime, become events.
 *
 * All events reported by one interposed function have its index. The stack of a new thread is fresh
 * memory: it is recorded as an allocation with unknown contents, at the thread's beginning.
 * Mappings are recorded the same way.
 *
 * The trace uses the numbers of contexts, because libc creates threads that the runtime does not
 * know. So the creation of a thread (PF_EV_FORK) becomes an event only when its context exists, but
 * still inside the interposed function that reported it.
 *
 * Operations of functions that are excluded from the trace are excluded here too, except those
 * about threads and memory, which are always recorded.
 */
#include "cond_queue.h"
#include "listener.h"
#include "stack.h"
#include "thread_table.h"
#include "tracer.h"

static __thread uint32_t fork_site; /* the site of the reported PF_EV_FORK; 0: none */
PF_NATIVE_AS(clone_of_libc, "clone");
PF_NATIVE_AS(fork_of_libc, "fork");

void pf_trace_thread_created(uint32_t number)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!pf_direct.tracing || !t)
        return;
    struct pf_trace_record e = {.kind = PF_EV_FORK, .site = fork_site, .what = number};
    pf_nest();
    if (!fork_site) {
        pf_stack_push(&pf_native_clone_of_libc);
        e.site = pf_stack_id(t, PF_NATIVE_CALL);
    }
    pf_trace_event(&e);
    if (!fork_site)
        pf_stack_pop();
    fork_site = 0;
    pf_unnest();
}

/* The other threads do not exist in the child, as if they had ended and had been joined. */
void pf_trace_process_forked(void)
{
    struct pf_thread *t = __pf_tls.thread;
    const struct pf_context *me = pf_context_self();
    if (!pf_direct.tracing || !t)
        return;
    pf_nest();
    pf_stack_push(&pf_native_fork_of_libc);
    struct pf_trace_record e = {.kind = PF_EV_JOIN, .site = pf_stack_id(t, PF_NATIVE_CALL)};
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i) != me && pf_context_at(i)->state != PF_CONTEXT_ENDED) {
            e.what = i;
            pf_trace_event(&e);
        }
    pf_stack_pop();
    pf_unnest();
}

static void trace_fresh_memory(uintptr_t addr, uintptr_t size, uint32_t site)
{
    pf_trace_event(&(struct pf_trace_record){.kind = PF_EV_ALLOC,
                                             .site = site,
                                             .flags = PF_EF_UNKNOWN,
                                             .attached = true,
                                             .what = addr,
                                             .more = size});
}

static bool can_be_excluded(enum pf_event_kind kind)
{
    switch ((int)kind) {
    case PF_NOTIFY_MEMORY_RESET:
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

/* The listener (listener.h) that writes each notification into the trace. */
static void observe(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    bool plain =
        __pf_tls.dispatch == PF_DISPATCH_PLAIN; /* libc's own thread: it may order others */
    if (!pf_direct.tracing || t != __pf_tls.thread ||
        (can_be_excluded(kind) && !pf_stack_watched() && !plain))
        return;
    /* Thread begin, thread end and fences are not inside an interposed function. */
    bool ends = kind == PF_EV_BEGIN || kind == PF_EV_END;
    const struct pf_func *top = __pf_tls.frame[-1].func;
    bool no_function = ends || !top || top->entry;
    if (ends && t->is_fiber) {
        fork_site = 0;
        return; /* its events belong to the thread that runs it */
    }
    struct pf_trace_record e = {.kind = (uint8_t)kind,
                                .site = no_function ? 0 : pf_stack_id(t, PF_NATIVE_CALL),
                                .what = what,
                                .more = more};
    if (kind == PF_EV_FORK) {
        fork_site = e.site;
        return;
    }
    if (kind == PF_NOTIFY_MEMORY_RESET) {
        trace_fresh_memory(what, more, e.site);
        return;
    }
    if (kind == PF_EV_ALLOC && t->direct.creates)
        e.flags = PF_EF_CREATES;
    if (kind == PF_EV_WAKE && pf_cond_expired(pf_context_self()))
        e.flags = PF_EF_TIMEOUT;
    if (kind == PF_EV_JOIN)
        e.what = pf_thread_by_number((uint32_t)what)->direct.context;
    if (kind == PF_EV_BEGIN) {
        t->direct.context = pf_context_number(pf_context_self());
        e.what = e.more = 0;
    }
    pf_trace_event(&e);
    if (kind == PF_EV_BEGIN)
        trace_fresh_memory(what, more, e.site);
}

void pf_trace_listen(void)
{
    if (pf_direct.tracing)
        pf_listener = observe;
}
