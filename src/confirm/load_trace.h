/*
 * load_trace.h - loads a trace from any kind of file: text, STD, or a recording. A recording
 * without events is replayed to obtain them.
 *
 * Errors:  prints the message and returns an exit status, PF_EXIT_OK or PF_EXIT_USAGE.
 */
#ifndef PF_CONFIRM_LOAD_TRACE_H
#define PF_CONFIRM_LOAD_TRACE_H

#include "trace.h"

/* Fills t, which the caller has initialised, seals it and checks it for consistency. */
int pf_load_trace(const char *verb, const char *path, struct pf_trace *t);
/* The same, with calls of the functions whose names match `atomic` (globs separated by commas;
 * NULL: none) as regions. The recording is replayed to find them. */
int pf_load_trace_atomic(const char *verb, const char *path, const char *atomic,
                         struct pf_trace *t);

#endif
