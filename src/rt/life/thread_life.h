/*
 * thread_life.h - the life of a thread: created, begun, ended, joined.
 *
 * Threads: as stated below. Each function enters the runtime by itself (pf_nest); its caller may
 *          be inside already. The callers of pf_thread_set_joining must be.
 * Errors:  pf_thread_create returns NULL at a limit, counted as PF_LIMIT_THREADS.
 */
#ifndef PF_RT_THREAD_LIFE_H
#define PF_RT_THREAD_LIFE_H

#include "thread.h"

/* create: called in the parent before the real creation, with the interposed function's frame on
 * top of the stack; publishes the parent's clock to the child. NULL: a limit was reached and
 * counted; the caller runs the thread unwatched.
 * begin: called first in the child, which has set stack_lo and stack_hi from pthread_getattr_np.
 * end: called last in the child, after its destructors.
 * joined: `self` acquires everything that `child` did. */
struct pf_thread *pf_thread_create(struct pf_thread *parent);
void pf_thread_begin(struct pf_thread *child);
void pf_thread_end(struct pf_thread *self);
void pf_thread_joined(struct pf_thread *self, struct pf_thread *child);
/* `self` waits in an untimed join and does nothing before `child` has ended. NULL: the wait is
 * over. */
void pf_thread_set_joining(struct pf_thread *self, struct pf_thread *child);
/* The real creation failed. */
void pf_thread_cancel_create(struct pf_thread *child);
/* Called in the child of fork, where only the caller exists. */
void pf_thread_after_fork(struct pf_thread *self);

#endif
