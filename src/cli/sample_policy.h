/*
 * sample_policy.h - is this a sampling policy, with parameters that make sense?
 *
 * Errors:  PF_BAD with a message for the user.
 */
#ifndef PF_CLI_SAMPLE_POLICY_H
#define PF_CLI_SAMPLE_POLICY_H

#include "status.h"

PF_MUST_USE pf_status pf_sample_check(const char *policy, struct pf_error *e);

#endif
