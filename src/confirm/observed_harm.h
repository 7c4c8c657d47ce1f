/*
 * observed_harm.h - which races of a recording that failed have caused the failure.
 *
 * Model:   the races that happened in the recording are tried from the last one to the first one,
 *          because a cause is usually close to the failure. For each, both orders are run
 *          (harm_cause.h). A race that was not tried, or is not the cause, has no harm: the failure
 *          is a finding of its own.
 * Memory:  texts are allocated in the pool of the job.
 */
#ifndef PF_CONFIRM_OBSERVED_HARM_H
#define PF_CONFIRM_OBSERVED_HARM_H

#include "predicted_finding.h"

#define PF_OBSERVED_HARM_MS 5000 /* the limit of this search in pf predict and pf hatch */

/* Tries the observed races of the job's recording, for at most limit_ms (0: no limit). Does nothing
 * if the recording did not fail. */
void pf_observed_harm_find(struct pf_predict_job *j, uint64_t limit_ms, bool (*should_stop)(void *),
                           void *arg);
/* The harm of race i of analysis k; NULL: none is known. */
const char *pf_observed_harm(const struct pf_predict_job *j, size_t k, size_t i);

#endif
