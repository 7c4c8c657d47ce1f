/*
 * missing_call.h - missing calls: calls into code that produces no events, that is, functions that
 * are not instrumented, and functions that `pf record --exclude` leaves out.
 *
 * Model:   a missing call is a pair of records, CALL and RET (RDIT's BarrierPair), with the set of
 *          what the callee can reach (reach.h). CALL is an event. The return is detected at the
 *          thread's next record: the caller's frame is on top again, or is gone, or makes another
 *          call. No other thread runs between the real return and that record, so RET is written
 *          just before the record and is not an event of its own. (Other threads can run while the
 *          callee waits or calls back: that is between CALL and RET.) A callback is an activation
 *          of recorded code that the callee has called. Its begin is recorded just before its first
 *          record.
 *          A call that is nested as deeply as the table allows reaches everything. It represents
 *          the calls inside it, which are not recorded: all their events keep their order.
 * Memory:  a few kilobytes of thread-local storage.
 * Threads: each thread uses its own data.
 * Errors:  regions nested deeper than the table are lost and counted (PF_LIMIT_REGIONS).
 */
#ifndef PF_RT_MISSING_CALL_H
#define PF_RT_MISSING_CALL_H

#include "pf_abi.h"
#include <stdbool.h>

/* Writes RET for the calls of this thread that have returned; pf_missing_calls_open counts the
 * others. Records the begin and the end of callbacks: a frame whose context was not computed yet
 * belongs to a new callback. While tracing, it is called before a context is computed (hooks.h),
 * and before any record other than RET is written. */
void pf_missing_call_close_slow(void);
extern __thread uint32_t pf_missing_calls_open __attribute__((tls_model("initial-exec")));
static inline void pf_missing_call_close(void)
{
    if (__builtin_expect(pf_missing_calls_open != 0, 0))
        pf_missing_call_close_slow();
}

/* Called from event_entry.S just before `callee` is called. `pointers`: the n argument words. */
void pf_missing_call_begin(void *callee, uint32_t site, uint32_t n, void *const *pointers);

/* True if the thread runs the code of a missing call, and no function inside it that has a frame.
 * *id: the stack of the call. */
bool pf_missing_call_runs(uint32_t *id);

/* The program has announced that it switches to another fiber. Its next call of missing code from
 * this stack is the switch itself, which accesses no data of other threads: it is not recorded. */
void pf_missing_call_switches(void);

/* Returns the body (enum pf_body) for a call of f, if some functions are left out. */
uint32_t pf_missing_call_choose_body(struct pf_func *f);

/* Sets the functions and files to leave out, and the functions that are regions: globs separated by
 * commas. The texts must stay valid. */
void pf_missing_call_configure(const char *left_out, const char *atomic);

#endif
