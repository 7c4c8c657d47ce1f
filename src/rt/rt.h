/*
 * rt.h - the modes of the runtime.
 *
 * Threads: pf_rt is written at start and constant afterwards, except heap_bypassed,
 *          has_signal_handlers and globally_ordered, which only grow.
 */
#ifndef PF_RT_RT_H
#define PF_RT_RT_H

#include "thread.h"

struct pf_rt {
    bool ready;    /* the shadow is mapped: threads can be watched */
    bool plain; /* functions run without checks; no thread is registered, nothing is reported */
    bool strict; /* cells are updated under a lock: no access record is ever lost */
    /* strict, oracle, or event mode: no operation takes a fast path of free mode */
    bool slow_path_only;
    bool symbolic; /* symbolic bodies run, where there are any (direct/symbolic/symbolic.h) */
    bool events; /* event bodies run: an access is an event, not a check (direct/trace/event.h) */
    /* event bodies report variables on the stack (direct/memory/stack_variables.h) */
    bool stack_variables;
    bool sampling; /* a policy decides at each call which body runs (sample.h) */
    /* event mode: some functions are excluded from the trace, or are regions, so every call asks
     * which body to run (direct/reach/missing_call.h) */
    bool excludes_functions;
    /* allocations write the block, and freed blocks are marked (memory_range.c) */
    bool heap_marks;
    bool scope_marks; /* variables whose scope has ended are marked (ended_scope.h) */
    bool object_uses; /* uses of descriptors and condition variables are checked */
    /* the program may allocate memory by functions that are not interposed: it defines some itself,
     * or looks up libc's; so memory that was freed can be in use again */
    bool heap_bypassed;
    bool lock_stacks; /* the stack of every acquisition of a lock is stored (taken_at) */
    bool lock_order; /* the order in which locks are taken is watched (lock_order.h) */
    bool has_signal_handlers; /* the target has installed a signal handler at some time */
    /* the code was compiled for ThreadSanitizer: frames are program counters (pc_frame.h) */
    bool pc_frames;
    unsigned umask; /* of the process when it started; logs obey it */
    bool oracle; /* every event is logged for the offline oracle (oracle_log.h) */
    /* Threads may be check_only (thread.h): their accesses pass the inline test where the tested
     * word is empty. So no front word is empty in a cell that has records (cell.c). */
    bool check_only_threads;
    /* sampling: most bytes that a range check checks, because a burst is short; 0: no limit */
    uint64_t range_limit;
    /* By slot: epochs up to this one are ordered before every current and every future thread
     * (pf_thread_update_global_order). Entries only grow. */
    uint32_t globally_ordered[PF_SID_REF + 1];
};
extern struct pf_rt pf_rt;

/* How many bytes of a range are checked. */
static inline uint64_t pf_range_limited(uint64_t size)
{
    return __builtin_expect(size > pf_rt.range_limit - 1, 0) ? pf_rt.range_limit : size;
}

#endif
