/*
 * waits.h - the waiting threads: for what and until when; and polling for external events.
 *
 * Model:   a waiting context is in the queue of its futex, or in the queue of all other waits,
 *          until the scheduler wakes it (pf_sched_wake). Wake-ups by other threads happen at once
 *          and need no record. External events and deadlines are polled between two segments, and
 *          the wake-ups are written into the schedule.
 * Memory:  none: the queues are linked through the contexts. Futexes are hashed into buckets.
 * Threads: the runner only.
 * Errors:  if no thread can ever run again, pf_sched_end_stuck.
 */
#ifndef PF_RT_WAITS_H
#define PF_RT_WAITS_H

#include "context.h"

/* add: c waits from now on for c->wait. remove: c waits no longer. */
void pf_waits_add(struct pf_context *c);
void pf_waits_remove(struct pf_context *c);
void pf_waits_forget(void); /* no thread waits any more */
/* external: true if a thread waits for something outside the program. external_or_timed: the same,
 * or if a wait has a deadline. */
bool pf_waits_external(void);
bool pf_waits_external_or_timed(void);
/* True if a wait has a deadline or a timer is running: time alone will change something. */
bool pf_waits_time_can_wake(void);
/* The wait of c has timed out. Notes it for deadlock reports, and for pf, if the schedule ended the
 * wait before its time limit. */
void pf_waits_note_timeout(struct pf_context *c);
/* Both are called between two segments, and recorded. _expire: the wait of c, which has a deadline,
 * times out now, whatever the time is. _put_first: the next signal of the condition variable for
 * which c waits will wake c. */
void pf_waits_expire(struct pf_context *c);
void pf_waits_put_first(struct pf_context *c);
/* While threads can run: true if it is time to poll. */
bool pf_waits_poll_due(void);
/* If threads wait only inside (inside_waits.h): wakes those that can continue. Returns false if
 * there are none. */
bool pf_waits_poll_inside(void);
/* Polls for external events and expired deadlines. `wait`: no thread can run, so blocks until
 * something happens, but not beyond the virtual time `until` (0: no limit). */
void pf_waits_poll(bool wait, uint64_t until);

#endif
