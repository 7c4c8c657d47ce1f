/*
 * trace_text.h - the text form of traces, for people to read and write. docs/format/trace-text.md
 * is normative. The reader accepts everything that the writer produces.
 *
 * Memory:  the reader fills a trace that the caller has initialised, and seals it.
 * Errors:  PF_BAD with the line, what was expected and what was found. The trace may then only be
 *          passed to pf_trace_release.
 */
#ifndef PF_TRACE_TEXT_H
#define PF_TRACE_TEXT_H

#include "status.h"
#include "trace.h"
#include <stdio.h>

PF_MUST_USE pf_status pf_trace_read_text(struct pf_trace *t, const char *file, const char *text,
                                         size_t len, struct pf_error *e);
void pf_trace_write_text(const struct pf_trace *t, FILE *out);
/* Writes a place as the text form spells it: `x`, `x+4:2`, `0x7f00:8`. */
void pf_trace_place_text(const struct pf_trace *t, uint32_t place, char *out, size_t max);

/* RAPID's STD form, `T0|w(V1)|loc`. It has no values and no condition variables; `loc` becomes the
 * site. */
PF_MUST_USE pf_status pf_trace_read_std(struct pf_trace *t, const char *file, const char *text,
                                        size_t len, struct pf_error *e);
/* PF_BAD if the trace contains an event that STD cannot express; `out` then holds part of the
 * trace. */
PF_MUST_USE pf_status pf_trace_write_std(const struct pf_trace *t, FILE *out, struct pf_error *e);

/* Guesses the form of a file from its first bytes. */
enum pf_trace_form { PF_FORM_TEXT, PF_FORM_STD, PF_FORM_BINARY };
enum pf_trace_form pf_trace_sniff(const char *text, size_t len);

#endif
