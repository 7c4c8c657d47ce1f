/* sample_policy.c - see sample_policy.h. The runtime takes the same text apart (src/rt/sample.c). */
#include "sample_policy.h"
#include <string.h>

pf_status pf_sample_check(const char *policy, struct pf_error *e)
{
    if (!strcmp(policy, "full") || !strcmp(policy, "literace"))
        return PF_OK;
    return pf_fail(e, PF_BAD, "--sample=%s: expected full or literace", policy);
}
