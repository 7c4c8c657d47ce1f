/*
 * selfcheck.h - checks that a trace is consistent.
 *
 * Model:   the trace is executed in its own order. Locks must be free when they are acquired,
 *          threads must exist, waits must match wakes, barriers must be respected, and every read
 *          must see the last write to each of its cells. A read that does not is an orphan. It is
 *          accepted only if a missing call could have written the value, or if the program also
 *          runs code that is not recorded (pf_trace.has_unrecorded_code).
 * Errors:  PF_BAD with the first inconsistent event. In a recording, an impossible event of a lock
 *          means that the program misuses the lock (it initialises a held lock, for example); the
 *          events before it are consistent.
 */
#ifndef PF_TRACE_SELFCHECK_H
#define PF_TRACE_SELFCHECK_H

#include "status.h"
#include "trace.h"

/* What is inconsistent. */
struct pf_trace_fault {
    uint32_t event; /* index of the first inconsistent event */
    bool misuse; /* the program uses a lock wrongly */
};

/* Also sets the flags PF_EF_MISSING and PF_EF_ORPHAN of reads. `fault` may be NULL. O(n). */
PF_MUST_USE pf_status pf_trace_check(struct pf_trace *t, struct pf_trace_fault *fault,
                                     struct pf_error *e);

#endif
