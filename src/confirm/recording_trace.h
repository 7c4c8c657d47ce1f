/*
 * recording_trace.h - a recording as a trace in memory.
 *
 * Model:   every event of the clip in its order. A site of the trace is a source position; the stack of
 *          an event is kept beside it (struct pf_recorded). Locks and other objects are named by the
 *          variable that holds them, or by their address. A place larger than 8 bytes whose bytes are
 *          known becomes several events.
 * Memory:  fills a trace that the caller has initialised, and seals it.
 * Errors:  false with the file, what was expected and what was found; the trace is then only good for
 *          pf_trace_release. A recording that is cut, or has more than recorded.limit events, is read as far
 *          as it goes: recorded.cut.
 */
#ifndef PF_CLI_RECORDED_H
#define PF_CLI_RECORDED_H

#include "clip.h"
#include "trace.h"

#define PF_RECORDED_MAX 100000000u /* events; more do not fit the memory of ordinary machines */

bool pf_trace_read_clip(struct pf_trace *t, const struct pf_clip *clip, const char *name,
                        struct pf_trace_error *err);

#endif
