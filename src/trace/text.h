/*
 * text.h - the text form of traces, which people write and read; docs/format/trace-text.md is
 * normative. Reader and writer stand here together: what one writes the other reads back.
 *
 * Memory:  the reader fills a trace that the caller has initialised, and seals it.
 * Errors:  false with the line, what was expected and what was found; the trace is then only good
 *          for pf_trace_release.
 */
#ifndef PF_TRACE_TEXT_H
#define PF_TRACE_TEXT_H

#include "trace.h"
#include <stdio.h>

bool pf_trace_read_text(struct pf_trace *t, const char *file, const char *text, size_t len,
                        struct pf_trace_error *err);
void pf_trace_write_text(const struct pf_trace *t, FILE *out);
/* `x`, `x+4:2`, `0x7f00:8`: how the text form spells a place. */
void pf_trace_place_text(const struct pf_trace *t, uint32_t place, char *out, size_t max);

/* RAPID's STD form, `T0|w(V1)|loc`: no values, no conditions; 'loc' becomes the site. */
bool pf_trace_read_std(struct pf_trace *t, const char *file, const char *text, size_t len,
                       struct pf_trace_error *err);
/* False when the trace holds an event that STD cannot say; nothing may be assumed about `out`. */
bool pf_trace_write_std(const struct pf_trace *t, FILE *out, struct pf_trace_error *err);

/* What a file is, by its first bytes. */
enum pf_trace_form { PF_FORM_TEXT, PF_FORM_STD, PF_FORM_BINARY };
enum pf_trace_form pf_trace_sniff(const char *text, size_t len);

#endif
