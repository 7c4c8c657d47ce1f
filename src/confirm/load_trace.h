/*
 * load_trace.h - loads a trace from any kind of file: text, STD, or a recording. A recording
 * without events is replayed to obtain them.
 *
 * Errors:  PF_IO and PF_BAD name the file. Warnings, such as a truncated recording, are printed as
 *          messages of `verb`.
 */
#ifndef PF_CONFIRM_LOAD_TRACE_H
#define PF_CONFIRM_LOAD_TRACE_H

#include "findings.h"
#include "trace.h"

/* Fills t, which the caller has initialised, seals it and checks it for consistency. */
PF_MUST_USE pf_status pf_load_trace(const char *verb, const char *path, struct pf_trace *t,
                                    struct pf_error *e);
/* The same, with calls of the functions whose names match `atomic` (globs separated by commas;
 * NULL: none) as regions. The recording is replayed to find them. shown: gets the memory errors and
 * failures (crash, failed assertion, deadlock, hang) that this replay showed, as confirmed findings
 * whose clip is `path`; NULL: not wanted. Nothing is added if no replay was needed. */
PF_MUST_USE pf_status pf_load_trace_shown(const char *verb, const char *path, const char *atomic,
                                          struct pf_trace *t, struct pf_findings *shown,
                                          struct pf_error *e);

#endif
