/*
 * held_locks.h - which locks a thread held at an event of a trace, and who started it: for findings.
 *
 * Model:   after each event that takes or gives back a lock, the acquires that are still in force.
 * Memory:  the pool's. Made once for a trace, O(events); a question costs a binary search.
 * Errors:  out of memory: no lock is known, no start is.
 */
#ifndef PF_CLI_HELD_LOCKS_H
#define PF_CLI_HELD_LOCKS_H

#include "pool.h"
#include "trace.h"

struct pf_held_locks {
    uint32_t *thread_at; /* range of each thread in `state` */
    struct {
        uint32_t event, first, n; /* after this event: range of `acquire` */
    } *state;
    uint32_t *acquire;
    uint32_t *start; /* of each thread: the fork event, PF_NONE: none */
};

struct pf_held_locks *pf_held_locks_make(const struct pf_trace *t, struct pf_pool *pool);
/* The acquire events in force before event i; how many. */
uint32_t pf_held_locks_at(const struct pf_held_locks *h, const struct pf_trace *t, uint32_t i,
                          const uint32_t **acquires);

#endif
