/*
 * cond_queue.h - which threads wait for a condition variable in directed mode, and which of them a
 * notification wakes.
 *
 * Model:   each thread waits on a condition variable of its own, with glibc's code. A notification
 *          of the program's condition variable chooses threads from a queue, and signals theirs. So
 *          a signal can wake any waiter, as POSIX allows; glibc alone would always wake the same
 *          one. A schedule can put a waiter to the front of the queue. A program that makes its
 *          own futex calls has such queues, too (std::atomic::wait, say).
 * Memory:  in the contexts. Condition variables shared between processes are left to glibc.
 * Threads: the runner only.
 */
#ifndef PF_RT_COND_QUEUE_H
#define PF_RT_COND_QUEUE_H

#include "context.h"

/* The current thread is about to wait for cond. Returns the condition variable on which it waits
 * instead; in free mode, or if processes share it, cond itself. */
pthread_cond_t *pf_cond_enter(pthread_cond_t *cond);
/* The wait has ended. Returns true if a notification had chosen the thread. */
bool pf_cond_leave(void);
/* The current thread is about to wait for the futex, which then has a queue like a condition
 * variable. pf_cond_leave ends the wait. */
void pf_cond_enter_futex(const uint32_t *word);
/* Chooses the next waiter of the futex; NULL: there is none in its queue. */
struct pf_context *pf_cond_choose_futex(const uint32_t *word);
/* Chooses the next waiter of cond. Returns the condition variable on which it waits, and sets
 * *thread to its number; NULL: there is none. */
pthread_cond_t *pf_cond_choose(const pthread_cond_t *cond, uint32_t *thread);
/* The wait of c has timed out: c can no longer be chosen, and _expired returns true. */
void pf_cond_expire(struct pf_context *c);
bool pf_cond_expired(const struct pf_context *c);
/* Puts c to the front of the queue in which it waits, if any. */
void pf_cond_put_first(struct pf_context *c);

#endif
