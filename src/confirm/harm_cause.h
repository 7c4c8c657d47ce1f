/*
 * harm_cause.h - does a failure of the program belong to a finding?
 *
 * Model:   a clip shows the finding and a failure. The failure belongs to the finding if it comes
 *          and goes with the order of two of its accesses, while everything else stays the same as
 *          far as possible. Both orders are run from a checkpoint before the accesses
 *          (both_orders.h), with the same tails:
 *          - held: the rest of the clip's schedule as long as it can be followed, then a policy;
 *          - free: a random policy from the accesses on, with the same seeds in both orders.
 *          If the other order fails in the same way in at least half of the held tails, the failure
 *          does not depend on the order. Otherwise the free tails decide if they can: the failure
 *          belongs to the finding if they fail in the order of the clip, and clearly less often in
 *          the other one; it does not if the other order fails at least as often. If they do not
 *          decide, the failure belongs to the finding if all held tails of the other order followed
 *          the clip to its end, none of them failed, and the accesses are adjacent: then only their
 *          order differs.
 * Threads: one; the runs happen in processes of their own.
 * Errors:  an order that cannot be run gives UNKNOWN. Then the failure is not attributed to the
 *          finding.
 */
#ifndef PF_CONFIRM_HARM_CAUSE_H
#define PF_CONFIRM_HARM_CAUSE_H

#include "clip.h"
#include "trace.h"

enum pf_harm_cause {
    PF_HARM_UNKNOWN,
    PF_HARM_OWN, /* the failure belongs to the finding */
    PF_HARM_OTHER, /* it happens in the other order as well */
};

/* What the runs have shown. Only runs in which the order was enforced are counted. */
struct pf_harm_runs {
    bool repeated; /* the clip's order and schedule gave the failure again */
    bool adjacent; /* no other thread runs between the two accesses in the clip */
    unsigned held, held_failed; /* held tails of the other order; those with the same failure */
    unsigned left; /* held tails that could not follow the clip's schedule to its end */
    unsigned free[2], free_failed[2]; /* free tails: in the clip's order, in the other one */
};
enum pf_harm_cause pf_harm_decide(const struct pf_harm_runs *r);

struct pf_harm_question {
    const struct pf_trace *t; /* of the clip */
    const struct pf_clip *clip;
    uint32_t a, b; /* the two accesses; a comes first in the trace */
    const char *memory; /* the failure is this memory error; NULL: the end of the clip */
    const char *folder; /* for temporary files; it is created and removed */
    uint64_t limit_ms; /* for all runs; 0: none */
    bool (*should_stop)(void *arg); /* polled; NULL: never */
    void *arg;
};
/* Runs both orders. `why` gets the reason of UNKNOWN and OTHER. */
enum pf_harm_cause pf_harm_cause(const struct pf_harm_question *q, char *why, size_t room);

/* Chooses the two accesses whose order is changed, from the n events of a finding in the order of
 * the clip. First come neighbouring events of different threads, the last pair first; then the last
 * event with the first event of another thread. `number` counts from 0. False: there
 * are no more. */
bool pf_harm_accesses(const struct pf_trace *t, const uint32_t *event, uint32_t n, uint32_t number,
                      uint32_t *a, uint32_t *b);

#endif
