/*
 * sample_policy.h - checks the text of a sampling policy.
 *
 * Errors:  PF_BAD with a message for the user.
 */
#ifndef PF_PROCESS_SAMPLE_POLICY_H
#define PF_PROCESS_SAMPLE_POLICY_H

#include "status.h"
#include <stdbool.h>

PF_MUST_USE pf_status pf_sample_check(const char *policy, struct pf_error *e);

/* Checks the argument of --overhead. */
PF_MUST_USE pf_status pf_sample_check_overhead(const char *policy, const char *share,
                                               struct pf_error *e);

/* True if the policy has a share of time, which --overhead sets. */
bool pf_sample_has_overhead(const char *policy);

/* True if the policy keeps state from one execution to the next. */
bool pf_sample_keeps_state(const char *policy);

#endif
