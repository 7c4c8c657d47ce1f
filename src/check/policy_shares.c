/* policy_shares.c - see policy_shares.h. */
#include "policy_shares.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DISCOUNT 0.9 /* of all earlier batches, when one is added */
#define BONUS 0.1
#define FAILURE_GAIN 8 /* a new failure counts as much as this many new behaviours */

static const char *const heads[PF_SHARE_POLICIES] = {
    [PF_SHARE_POS] = "pos:*",         [PF_SHARE_RANDOM] = "random:*", [PF_SHARE_PCT_3] = "pct:*,3,",
    [PF_SHARE_PCT_2] = "pct:*,2,",    [PF_SHARE_PCT_5] = "pct:*,5,",  [PF_SHARE_FEW] = "few:*",
    [PF_SHARE_AIMED] = "racefuzzer:",
};

enum pf_share_policy pf_policy_shares_next(const struct pf_policy_shares *s, bool aimed)
{
    enum pf_share_policy best = PF_SHARE_POS;
    double all = 0, best_score = -1;
    for (size_t i = 0; i < PF_SHARE_POLICIES; i++)
        all += s->batches[i];
    for (size_t i = 0; i < PF_SHARE_POLICIES; i++) {
        if (i == PF_SHARE_AIMED && !aimed)
            continue;
        double n = s->batches[i];
        double score = n < 1e-3 ? 2 : s->gain[i] / n + BONUS * sqrt(2 * log(1 + all) / n);
        if (score > best_score) {
            best_score = score;
            best = (enum pf_share_policy)i;
        }
    }
    return best;
}

void pf_policy_shares_add(struct pf_policy_shares *s, enum pf_share_policy policy,
                          uint64_t schedules, uint64_t behaviours, uint64_t failures)
{
    double gain =
        schedules ? (double)(behaviours + FAILURE_GAIN * failures) / (double)schedules : 0;
    for (size_t i = 0; i < PF_SHARE_POLICIES; i++) {
        s->gain[i] *= DISCOUNT;
        s->batches[i] *= DISCOUNT;
    }
    s->gain[policy] += gain < 1 ? gain : 1;
    s->batches[policy] += 1;
}

void pf_share_policy_text(char *to, size_t room, enum pf_share_policy policy, uint64_t length,
                          const char *positions)
{
    if (policy == PF_SHARE_AIMED)
        snprintf(to, room, "%s%s,*", heads[policy], positions);
    else if (policy == PF_SHARE_POS || policy == PF_SHARE_RANDOM || policy == PF_SHARE_FEW)
        snprintf(to, room, "%s", heads[policy]);
    else
        snprintf(to, room, "%s%" PRIu64, heads[policy], length);
}

enum pf_share_policy pf_share_policy_of(const char *text)
{
    size_t i = 0;
    while (i < PF_SHARE_POLICIES && strncmp(text, heads[i], strlen(heads[i])))
        i++;
    return (enum pf_share_policy)i;
}
