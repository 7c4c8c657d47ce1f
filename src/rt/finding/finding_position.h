/*
 * finding_position.h - where a finding happened, in one line, for the channel to pf.
 *
 * Memory:  the text is in the pool; NULL without memory.
 */
#ifndef PF_RT_FINDING_POSITION_H
#define PF_RT_FINDING_POSITION_H

#include "finding.h"
#include "pool.h"

/* "thread T1: f a.c:12 < main a.c:30": where the first thread of a failure stopped. */
const char *pf_finding_stop(struct pf_pool *pool, const struct pf_finding *f);
/* "heap block freed twice in f (a.c:12)": the last access of a memory error. */
const char *pf_finding_position(struct pf_pool *pool, const struct pf_finding *f);

#endif
