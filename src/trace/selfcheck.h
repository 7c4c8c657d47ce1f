/*
 * selfcheck.h - does a trace agree with itself?
 *
 * Model:   the trace is run as it stands: locks are free when taken, threads exist, waits match
 *          wakes, barriers hold, every read sees the last write to each of its cells. A read that
 *          does not is an orphan; it is accepted only where a missing call could have written.
 * Errors:  false with the first inconsistent event.
 */
#ifndef PF_TRACE_CHECK_H
#define PF_TRACE_CHECK_H

#include "trace.h"

/* Also marks reads as PF_EF_MISSING and PF_EF_ORPHAN. O(n). */
bool pf_trace_check(struct pf_trace *t, struct pf_trace_error *err);

#endif
