/*
 * rt.h - the runtime as a whole: start, fork, what mode it runs in.
 */
#ifndef PF_RT_RT_H
#define PF_RT_RT_H

#include "thread.h"

struct pf_rt {
    bool ready;    /* the shadow is mapped, threads can be watched */
    bool plain;    /* every function runs its plain body, no thread is known, nothing is found */
    bool strict;   /* cells are updated under a lock, no statement is ever lost */
    bool careful;  /* strict or oracle: every update goes the long way */
    bool events; /* event bodies run: an access is an event, not a check (direct/trace/event.h) */
    bool
        variables; /* event bodies tell of variables on the stack (direct/memory/stack_variables.h) */
    bool sampling; /* a policy decides, call by call, which body runs (sample.h) */
    bool excludes; /* ... and some functions are left out: calls ask */
    bool handlers; /* the target has had handlers of signals */
    bool oracle; /* every event is logged for the offline oracle (oracle_log.h) */
    /* What every thread knows, there is and will be (pf_thread_settle); it only grows. */
    uint32_t settled[PF_SID_REF + 1];
};
extern struct pf_rt pf_rt;

/* Before any constructor of the program: start_linked.c, start_preloaded.c. */
void pf_rt_init(void);
/* Around fork(2): nobody is in the middle of an update when the process is copied. alone: there is no other kernel
 * thread, so nobody is anyway, and the system calls in between may need what would be locked. */
void pf_rt_before_fork(bool alone);
void pf_rt_after_fork(bool alone, bool child);

/* While pf_rt.events: what atomic operations and fences are instead (direct/trace/event_atomic.c). */
void *pf_event_atomic_begin(void *addr, uint32_t packed, uint32_t site) __attribute__((weak));
void pf_event_atomic_end(void *handle, uint32_t stored) __attribute__((weak));
void pf_event_fence(uint32_t order, uint32_t site) __attribute__((weak));
void pf_event_unseen(void) __attribute__((weak)); /* an atomic or fence inside the runtime */
/* ... and accesses of interposed functions (direct/trace/event.c). */
void pf_event_touch(const volatile void *addr, size_t size, bool write, uint32_t id)
    __attribute__((weak));
/* The same of functions that do not enter the runtime: the site of the one on top of the stack. */
void pf_event_reach(const volatile void *addr, size_t size, bool write, uint32_t site)
    __attribute__((weak));
/* Which body a call runs then, where some functions are left out (direct/reach/missing_call.c). */
uint32_t pf_event_body(struct pf_func *f) __attribute__((weak));

/* Calls f(arg) from a place where vector registers are in use: saves and restores them all. */
void pf_call_saved(void (*f)(void *), void *arg);

#endif
