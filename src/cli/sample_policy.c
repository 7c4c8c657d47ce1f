/* sample_policy.c - see sample_policy.h. */
#include "sample_policy.h"
#include <string.h>

pf_status pf_sample_check(const char *policy, struct pf_error *e)
{
    if (strcmp(policy, "full"))
        return pf_fail(e, PF_BAD, "--sample=%s: not available in this build", policy);
    return PF_OK;
}
