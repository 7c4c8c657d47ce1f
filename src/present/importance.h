/*
 * importance.h - how important a finding is, in the terms of SARIF.
 *
 * Model:   the class of a judged race decides; otherwise how certain the finding is.
 */
#ifndef PF_PRESENT_IMPORTANCE_H
#define PF_PRESENT_IMPORTANCE_H

#include "finding.h"

/* error, warning or note */
const char *pf_importance_level(const struct pf_finding *f);
/* From 0 to 100. */
unsigned pf_importance_rank(const struct pf_finding *f);

#endif
