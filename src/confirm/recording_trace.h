/*
 * recording_trace.h - reads a recording as a trace in memory.
 *
 * Model:   every event of the clip, in its order. A site of the trace is a source position; the
 *          stack of an event is stored separately (struct pf_recorded). Locks and other objects are
 *          named after the variable that holds them, or by their address. An access to more than 8
 *          bytes whose values are known becomes several events.
 * Memory:  fills a trace that the caller has initialised, and seals it.
 * Errors:  PF_BAD, with the file, what was expected and what was found; the trace may then only be
 *          passed to pf_trace_release. A recording that is truncated, or has more than
 *          recorded.limit events, is read as far as possible and sets recorded.cut.
 */
#ifndef PF_CONFIRM_RECORDING_TRACE_H
#define PF_CONFIRM_RECORDING_TRACE_H

#include "clip.h"
#include "trace.h"

/* events; more do not fit into the memory of ordinary machines */
#define PF_RECORDED_MAX 100000000u

PF_MUST_USE pf_status pf_trace_read_clip(struct pf_trace *t, const struct pf_clip *clip,
                                         const char *name, struct pf_error *e);

#endif
