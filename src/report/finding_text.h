/*
 * finding_textbuf.h - a finding as text, in the layout people know from ThreadSanitizer.
 *
 * Errors:  a failed text (textbuf.h) is a report cut short; nothing else can fail.
 */
#ifndef PF_REPORT_FINDING_TEXT_H
#define PF_REPORT_FINDING_TEXT_H

#include "finding.h"
#include "textbuf.h"

struct pf_text_style {
    bool color;
    const char *strip_prefix; /* taken off file names; NULL or "": nothing */
    int64_t pid;              /* 0: not shown */
    bool summary;             /* the SUMMARY line */
};

void pf_finding_text(struct pf_text *t, const struct pf_finding *f,
                     const struct pf_text_style *style);
/* "#0 f a.c:1:2 (prog)" and so on, one position a line. */
void pf_trail_text(struct pf_text *t, const struct pf_trail *trail,
                   const struct pf_text_style *style);
/* "read x = 1 (written by T1, a.c:9)": what a step of a schedule does. */
void pf_moment_text(struct pf_text *t, const struct pf_moment *m);

#endif
