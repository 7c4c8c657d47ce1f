/*
 * report_text.h - findings as text: in ThreadSanitizer's layout, with the interleaving, the stages
 * that saw each finding, and a summary of what was run.
 */
#ifndef PF_PRESENT_REPORT_TEXT_H
#define PF_PRESENT_REPORT_TEXT_H

#include "baseline.h"
#include "findings.h"

/* The findings must be sorted. Of each group, the first member is written in full, the others in
 * one line each. `base` may be NULL. */
void pf_report_text(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base,
                    bool color);
/* Writes the steps of a schedule in which the finding happens, if one is known; arrows mark
 * its accesses. */
void pf_report_interleaving(struct pf_text *t, const struct pf_finding *f);
/* Writes why the finding does not count; nothing if it counts. */
void pf_report_suspicious(struct pf_text *t, const struct pf_finding *f);

#endif
