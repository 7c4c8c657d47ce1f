/*
 * policy_shares.h - how the scheduling policies share the batches of a check.
 *
 * Model:   a multi-armed bandit. The gain of a batch is its new behaviours and new failures per
 *          schedule, at most 1. A policy's score is the mean gain of its batches plus a bonus that
 *          grows while it is not used (UCB1, Auer et al.). Older batches count less, because the
 *          gain of a policy shrinks when it has shown most of what it can show.
 * Memory:  plain data. The same gains always give the same choices.
 * Threads: one.
 */
#ifndef PF_CHECK_POLICY_SHARES_H
#define PF_CHECK_POLICY_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scheduling policies of pf record (--schedule). */
enum pf_share_policy {
    PF_SHARE_POS, /* partial order sampling */
    PF_SHARE_RANDOM,
    PF_SHARE_FEW, /* only a few threads run at a time */
    PF_SHARE_PCT_3, /* depth 3 */
    PF_SHARE_PCT_2,
    PF_SHARE_PCT_5,
    PF_SHARE_AIMED, /* racefuzzer, for a race that was found; needs one */
    PF_SHARE_POLICIES
};

struct pf_policy_shares {
    double gain[PF_SHARE_POLICIES], batches[PF_SHARE_POLICIES]; /* discounted sums */
};

/* The policy of the next batch. aimed: PF_SHARE_AIMED can be used. */
enum pf_share_policy pf_policy_shares_next(const struct pf_policy_shares *s, bool aimed);
/* Adds the result of a batch. */
void pf_policy_shares_add(struct pf_policy_shares *s, enum pf_share_policy policy,
                          uint64_t schedules, uint64_t behaviours, uint64_t failures);

/* Writes the text of the policy for a batch: '*' stands for the seed. length: the number of events
 * of a run; positions: of the two accesses of a race. */
void pf_share_policy_text(char *to, size_t room, enum pf_share_policy policy, uint64_t length,
                          const char *positions);
/* The policy that the text was written for; PF_SHARE_POLICIES: none. */
enum pf_share_policy pf_share_policy_of(const char *text);

#endif
