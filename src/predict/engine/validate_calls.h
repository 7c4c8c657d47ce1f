/*
 * validate_calls.h - missing calls for the validator: which of them surround an event, and which
 * events they keep in trace order (Algorithms 2 and 3 of the RDIT paper, docs/analysis/rdit.md).
 *
 * Memory:  init allocates O(n), release frees it. The trace must outlive it.
 */
#ifndef PF_ENGINE_VALIDATE_CALLS_H
#define PF_ENGINE_VALIDATE_CALLS_H

#include "validate.h"

struct pf_validate_calls {
    const struct pf_trace *t;
    enum pf_missing_rule rule; /* PF_RULE_NONE: all other fields are empty */
    uint32_t *by_thread, *thread_at; /* events of each thread */
    uint32_t *inside;  /* per event: the innermost missing call of its thread around it */
    uint32_t *outside; /* per call: the enclosing missing call */
    bool *reached;     /* per event: an active missing call reaches one of its items */
    /* per event: the first event of its thread, from this one on, that begins or ends a missing
     * call, or borders on one */
    uint32_t *next_at_call;
    uint32_t event; /* the event of the last _compare_with, and the active calls that reach it */
    pf_vec_u32 active;
};

void pf_validate_calls_init(struct pf_validate_calls *c, const struct pf_trace *t,
                            enum pf_missing_rule rule);
void pf_validate_calls_release(struct pf_validate_calls *c);
/* True if the missing call reaches the item. */
bool pf_validate_calls_reaches(const struct pf_validate_calls *c, uint32_t call, uint32_t item);
/* Prepares comparisons of event e with earlier events. False: missing calls can force only events
 * in next_at_call to run before e. */
bool pf_validate_calls_compare_with(struct pf_validate_calls *c, uint32_t e);
/* True if a missing call forces event f before the event of the last _compare_with, as in the
 * trace. */
bool pf_validate_calls_keeps_order(const struct pf_validate_calls *c, uint32_t f);
/* True if code of a missing call around the event may run directly before or after it. */
bool pf_validate_calls_borders(const struct pf_validate_calls *c, uint32_t e);

#endif
