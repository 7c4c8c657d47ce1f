/*
 * missing_call.h - calls into code that leaves no events: functions that are not instrumented, and
 * those that `pf record --exclude` leaves out.
 *
 * Model:   such a call is a pair of records, CALL and RET (RDIT's BarrierPair), with what the callee
 *          can reach (reach.h). CALL is an event. That the call is over shows at the thread's next
 *          record: the caller's frame is on top again, or is gone, or makes another call. Until then
 *          nobody else has run, unless the callee itself waited or called back, which is inside the
 *          pair. So RET is written just before that record, and has no number of its own.
 * Memory:  a few kilobytes of thread-local storage.
 * Threads: the one that calls.
 * Errors:  calls nested deeper than the table are lost, and counted (PF_LIMIT_CALLS).
 */
#ifndef PF_RT_MISSING_CALL_H
#define PF_RT_MISSING_CALL_H

#include "pf_abi.h"

/* Ends the calls of this thread that are over; pf_missing_calls_open are left. While tracing, before every record but RET. */
void pf_missing_call_close_slow(void);
extern __thread uint32_t pf_missing_calls_open __attribute__((tls_model("initial-exec")));
static inline void pf_missing_call_close(void)
{
    if (__builtin_expect(pf_missing_calls_open != 0, 0))
        pf_missing_call_close_slow();
}

/* From event_entry.S: `callee` is about to be called. */
void pf_missing_call_begin(void *callee, uint32_t site, uint32_t n, void *const *pointers);

/* The functions and files to leave out, and the functions that are regions: globs with commas between; the texts
 * must stay. */
void pf_missing_call_configure(const char *left_out, const char *atomic);

#endif
