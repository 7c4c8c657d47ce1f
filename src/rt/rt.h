/*
 * rt.h - the runtime as a whole: its modes, its start, fork.
 *
 * Threads: pf_rt is written at start and constant afterwards, but for has_signal_handlers and
 *          globally_ordered, which only grow.
 */
#ifndef PF_RT_RT_H
#define PF_RT_RT_H

#include "thread.h"

struct pf_rt {
    bool ready;    /* the shadow is mapped: threads can be watched */
    bool plain; /* functions run without checks; no thread is registered, nothing is reported */
    bool strict; /* cells are updated under a lock: no access record is ever lost */
    bool slow_path_only; /* strict or oracle: no update takes a fast path */
    bool events; /* event bodies run: an access is an event, not a check (direct/trace/event.h) */
    /* event bodies report variables on the stack (direct/memory/stack_variables.h) */
    bool stack_variables;
    bool sampling; /* a policy decides at each call which body runs (sample.h) */
    /* event mode without some functions: every call asks which body to run */
    bool excludes_functions;
    bool has_signal_handlers; /* the target has installed a signal handler at some time */
    bool oracle; /* every event is logged for the offline oracle (oracle_log.h) */
    /* Threads may be check_only (thread.h): their accesses pass the inline test where the tested
     * word is empty. So no front word is empty in a cell that has records (cell.c). */
    bool check_only_threads;
    /* By slot: epochs up to this one are ordered before every current and every future thread
     * (pf_thread_update_global_order). Entries only grow. */
    uint32_t globally_ordered[PF_SID_REF + 1];
};
extern struct pf_rt pf_rt;

/* Runs before any constructor of the program: start_linked.c, start_preloaded.c. */
void pf_rt_init(void);
/* Around fork(2): no thread is in the middle of an update when the process is copied. alone: the
 * process has one kernel thread, so no update can be under way; nothing is locked then, because the
 * system calls in between may need the locks. */
void pf_rt_before_fork(bool alone);
void pf_rt_after_fork(bool alone, bool child);

/* In event mode, the implementation of atomic operations and fences
 * (direct/trace/event_atomic.c). */
void *pf_event_atomic_begin(void *addr, uint32_t packed, uint32_t site) __attribute__((weak));
void pf_event_atomic_end(void *handle, uint32_t stored) __attribute__((weak));
void pf_event_fence(uint32_t order, uint32_t site) __attribute__((weak));
/* an atomic operation or a fence inside the runtime */
void pf_event_in_runtime(void) __attribute__((weak));
/* In event mode, an access of an interposed function (direct/trace/event.c). */
void pf_event_interposed_access(const volatile void *addr, size_t size, bool write, uint32_t id)
    __attribute__((weak));
/* The same for interposed functions that do not nest; `site` belongs to the function on top of the
 * stack. */
void pf_event_leaf_access(const volatile void *addr, size_t size, bool write, uint32_t site)
    __attribute__((weak));
/* In event mode, which body a call of f runs, if some functions are excluded
 * (direct/reach/missing_call.c). */
uint32_t pf_event_body(struct pf_func *f) __attribute__((weak));

/* Calls f(arg) where vector registers are live: saves and restores all of them. */
void pf_call_saved(void (*f)(void *), void *arg);

#endif
