/*
 * load_trace.h - a trace from whatever file: text, STD, or a recording. One without events is replayed
 * to have them.
 *
 * Errors:  the message is printed; the result is an exit status, PF_EXIT_OK or PF_EXIT_USAGE.
 */
#ifndef PF_CLI_LOAD_TRACE_H
#define PF_CLI_LOAD_TRACE_H

#include "trace.h"

/* Fills t, which the caller has initialised, seals it and checks that it agrees with itself. */
int pf_load_trace(const char *verb, const char *path, struct pf_trace *t);
/* The same with calls of functions whose names match (globs with commas between; NULL: none) as regions: a
 * recording is replayed for it. */
int pf_load_trace_atomic(const char *verb, const char *path, const char *atomic,
                         struct pf_trace *t);

#endif
