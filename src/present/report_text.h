/*
 * report_text.h - findings as text: ThreadSanitizer's layout, the interleaving, how each stage saw it, and what
 * was done.
 */
#ifndef PF_CLI_REPORT_TEXT_H
#define PF_CLI_REPORT_TEXT_H

#include "baseline.h"
#include "findings.h"

/* `base` may be NULL. */
void pf_report_text(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base,
                    bool color);
/* The last steps of a schedule that brings it about, if one is known; arrows point at the accesses. */
void pf_report_interleaving(struct pf_text *t, const struct pf_finding *f);

#endif
