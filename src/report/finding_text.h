/*
 * finding_text.h - a finding as text, in the layout of ThreadSanitizer's reports.
 *
 * Errors:  out of memory cuts the text short and sets `failed` (textbuf.h); nothing else can fail.
 */
#ifndef PF_REPORT_FINDING_TEXT_H
#define PF_REPORT_FINDING_TEXT_H

#include "finding.h"
#include "textbuf.h"

struct pf_text_style {
    bool color;
    const char *strip_prefix; /* removed from the front of file names; NULL or "": nothing */
    int64_t pid;              /* 0: not shown */
    bool summary;             /* write the SUMMARY line */
};

void pf_finding_text(struct pf_text *t, const struct pf_finding *f,
                     const struct pf_text_style *style);
/* Writes " (merged with line 41, 45)"; nothing for a frame without merged lines. */
void pf_merged_lines_text(struct pf_text *t, const struct pf_stack_frame *p);
/* Writes the stack as "#0 f a.c:1:2 (prog)", one frame per line. */
void pf_backtrace_text(struct pf_text *t, const struct pf_backtrace *stack,
                       const struct pf_text_style *style);
/* Describes one step of a schedule: "read x = 1 (written by T1, a.c:9)". */
void pf_schedule_step_text(struct pf_text *t, const struct pf_schedule_step *m);

#endif
