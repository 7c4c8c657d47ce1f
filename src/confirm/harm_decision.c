/* harm_decision.c - decides from the results of both orders whether a failure belongs to a finding;
 * see harm_cause.h. */
#include "harm_cause.h"

/* True if the free tails fail in the order of the clip, and clearly less often in the other. */
static bool free_tails_differ(const struct pf_harm_runs *r)
{
    return r->free_failed[0] >= 2 && r->free_failed[0] > 2 * r->free_failed[1];
}

enum pf_harm_cause pf_harm_decide(const struct pf_harm_runs *r)
{
    if (!r->repeated || !r->held)
        return PF_HARM_UNKNOWN;
    if (2 * r->held_failed >= r->held)
        return PF_HARM_OTHER;
    if (free_tails_differ(r))
        return PF_HARM_OWN;
    if (r->free_failed[1] && r->free_failed[1] >= r->free_failed[0])
        return PF_HARM_OTHER;
    return r->adjacent && !r->left && !r->held_failed ? PF_HARM_OWN : PF_HARM_UNKNOWN;
}
