/*
 * validate_calls.h - missing calls as the validator sees them: which of them are around an event, and which
 * events they keep in the order of the trace (the paper's Algorithms 2 and 3, docs/analysis/rdit.md).
 *
 * Memory:  init takes O(n), release gives it back. The trace must outlive it.
 */
#ifndef PF_ENGINE_VALIDATE_CALLS_H
#define PF_ENGINE_VALIDATE_CALLS_H

#include "validate.h"

struct pf_calls {
    const struct pf_trace *t;
    enum pf_missing_rule rule; /* PF_RULE_NONE: the rest is empty */
    uint32_t *by_thread, *thread_at; /* events of each thread */
    uint32_t *inside;  /* per event: the innermost missing call around it, in its thread */
    uint32_t *outside; /* per call: the one around it */
    bool *noticed;     /* per event: a write that a missing call under way may look at */
};

void pf_calls_init(struct pf_calls *c, const struct pf_trace *t, enum pf_missing_rule rule);
void pf_calls_release(struct pf_calls *c);
bool pf_calls_reach(const struct pf_calls *c, uint32_t call, uint32_t item);
/* Does a missing call keep f before e, as they are in the trace? */
bool pf_calls_tie(const struct pf_calls *c, uint32_t f, uint32_t e);

#endif
