/*
 * sarif_level.h - how important a finding is, in SARIF: its level and its rank.
 *
 * Model:   a suspicious finding is a note, with the lowest rank. Otherwise its class decides (a
 *          failure counts as spec-violated). Without a class, or if that is undecided, it depends
 *          on how certain the finding is.
 */
#ifndef PF_PRESENT_SARIF_LEVEL_H
#define PF_PRESENT_SARIF_LEVEL_H

#include "finding.h"

/* error, warning or note */
const char *pf_sarif_level(const struct pf_finding *f);
/* From 0 to 100. */
unsigned pf_sarif_rank(const struct pf_finding *f);

#endif
