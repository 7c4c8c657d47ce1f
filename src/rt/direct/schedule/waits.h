/*
 * waits.h - who waits, for what, until when; and the look outside, at what could end a wait.
 *
 * Model:   a context that waits is in the queue of its futex, or in the one of all other waits, until
 *          the scheduler wakes it (pf_sched_wake). What threads do to each other wakes them at once
 *          and needs no record. What comes from outside or with time is looked for between two
 *          segments, and written into the schedule.
 * Memory:  none of its own: queues go through the contexts. Futexes are spread over buckets.
 * Threads: the runner alone.
 * Errors:  nobody can ever go on: pf_sched_stuck.
 */
#ifndef PF_RT_WAITS_H
#define PF_RT_WAITS_H

#include "context.h"

/* c waits from now on, for what c->wait says; c waits no longer. */
void pf_waits_add(struct pf_context *c);
void pf_waits_remove(struct pf_context *c);
/* Does anybody wait for something outside, or (also) until a certain time? */
bool pf_waits_outside(void);
bool pf_waits_any(void);
/* Will time alone change anything, be it a wait's or a timer's? */
bool pf_waits_moment(void);
/* While others can run: is it time for a look outside? */
bool pf_waits_due(void);
/* Has something happened outside? `wait`: nobody can run, so something must; until: not later than that, unless
 * it is 0. */
void pf_waits_look(bool wait, uint64_t until);

#endif
