/*
 * held_locks.h - the locks that a thread held at an event of a trace, and the event that started
 * each thread; used to fill in findings.
 *
 * Model:   after each event that takes or releases a lock, the list of acquire events still in
 *          effect.
 * Memory:  from the pool. Built once per trace in O(events); a query costs a binary search.
 */
#ifndef PF_CONFIRM_HELD_LOCKS_H
#define PF_CONFIRM_HELD_LOCKS_H

#include "pool.h"
#include "trace.h"

struct pf_held_locks {
    uint32_t *thread_at; /* range of each thread in `state` */
    struct {
        uint32_t event, first, n; /* after this event: range in `acquire` */
    } *state;
    uint32_t *acquire;
    uint32_t *start; /* per thread: its fork event; PF_NONE: none */
};

struct pf_held_locks *pf_held_locks_make(const struct pf_trace *t, struct pf_pool *pool);
/* Sets *acquires to the acquire events in effect before event i, and returns their number. */
uint32_t pf_held_locks_at(const struct pf_held_locks *h, const struct pf_trace *t, uint32_t i,
                          const uint32_t **acquires);

#endif
