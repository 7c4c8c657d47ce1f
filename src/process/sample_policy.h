/*
 * sample_policy.h - is this a sampling policy, with parameters that make sense?
 *
 * Errors:  PF_BAD with a message for the user.
 */
#ifndef PF_CLI_SAMPLE_POLICY_H
#define PF_CLI_SAMPLE_POLICY_H

#include "status.h"
#include <stdbool.h>

PF_MUST_USE pf_status pf_sample_check(const char *policy, struct pf_error *e);

/* Does the policy keep something from one execution to the next? */
bool pf_sample_remembers(const char *policy);

#endif
