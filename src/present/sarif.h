/*
 * sarif.h - findings as SARIF 2.1.0, the format that code hosts and editors read.
 *
 * Model:   one result per group, described by its first finding. Its location is one of the
 *          accesses, always the same one: they are ordered by source position and not by which
 *          happened first in this run, so that alerts do not move. Related locations are the other
 *          accesses, the memory, the creations of the threads, and the other findings of the group.
 *          One thread flow shows the interleaving (viewers show only the first flow).
 *
 * Limits are those of code scanning: 25,000 results, 100 frames per stack.
 */
#ifndef PF_PRESENT_SARIF_H
#define PF_PRESENT_SARIF_H

#include "baseline.h"
#include "findings.h"

/* The findings must be sorted. `base` may be NULL. Results beyond the limit are left out, and a
 * notification gives their number. */
void pf_sarif(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base);

#endif
