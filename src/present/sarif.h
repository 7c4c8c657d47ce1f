/*
 * sarif.h - findings as SARIF 2.1.0, the format that code hosts and editors read.
 *
 * Model:   a result a finding. Its location is one of its accesses, always the same one: they are ordered
 *          by place and not by which came first in this run, so that alerts do not move. Related
 *          locations are the other accesses, the memory and the threads' creations. One thread
 *          flow tells the interleaving (viewers show only the first).
 * Limits:  those of code scanning: 25,000 results, 100 positions a stack.
 */
#ifndef PF_CLI_SARIF_H
#define PF_CLI_SARIF_H

#include "baseline.h"
#include "findings.h"

/* `base` may be NULL. Findings beyond the limits are left out, and a notification says how many. */
void pf_sarif(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base);

#endif
