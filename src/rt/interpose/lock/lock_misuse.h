/*
 * lock_misuse.h - locks that the program uses in a wrong way: unlocked by a thread that does not
 * hold them, locked twice, used after they were destroyed, destroyed while they are held.
 *
 * Model:   glibc's own state of the lock decides, because a lock may be taken in code that the
 *          runtime does not watch. The runtime's list of held locks decides when to look: in a
 *          correct program, these functions are called only before an operation that would wait, at
 *          the destruction of a lock, at the end of a thread, and for annotated locks.
 * Threads: any. Callers are inside PF_CALL with a registered thread. Only in free mode.
 */
#ifndef PF_RT_LOCK_MISUSE_H
#define PF_RT_LOCK_MISUSE_H

#include "misuse.h"
#include "wrap.h"
#include <pthread.h>

/* The thread is about to unlock a lock that it is not known to hold. */
void pf_mutex_check_unlock(const struct pf_call *c, const pthread_mutex_t *m);
void pf_rwlock_check_unlock(const struct pf_call *c, const pthread_rwlock_t *l);
void pf_spin_check_unlock(const struct pf_call *c, const pthread_spinlock_t *l);

/* The thread is about to wait for the lock: is it waiting for itself? */
void pf_mutex_check_wait(const struct pf_call *c, const pthread_mutex_t *m);
void pf_rwlock_check_wait(const struct pf_call *c, const pthread_rwlock_t *l, bool shared);
void pf_spin_check_wait(const struct pf_call *c, const pthread_spinlock_t *l);

/* The lock is about to be destroyed. */
void pf_mutex_check_destroy(const struct pf_call *c, const pthread_mutex_t *m);
void pf_rwlock_check_destroy(const struct pf_call *c, const pthread_rwlock_t *l);
void pf_spin_check_destroy(const struct pf_call *c, const pthread_spinlock_t *l);

/* A lock operation has returned EINVAL. */
void pf_mutex_check_invalid(const struct pf_call *c, const pthread_mutex_t *m);

/* The thread ends: reports the locks that it still holds. */
void pf_lock_check_thread_end(const struct pf_thread *t);

/* The program has asked for a report if the thread holds a lock. */
void pf_lock_check_none_held(const struct pf_call *c);

/* Stores the flags of a new annotated lock; returns them later. 0: it has none. ~0: unknown,
 * another lock has taken its entry. */
void pf_annotated_created(const void *lock, unsigned flags);
unsigned pf_annotated_flags(const void *lock);

/* A lock that the program announces by annotations (wrap_annotate.c) was locked, is about to be
 * unlocked, is about to be destroyed. last: the outermost level of a recursive lock. */
void pf_annotated_locked(const struct pf_call *c, const void *lock, bool shared);
void pf_annotated_unlocking(const struct pf_call *c, const void *lock, bool shared, bool last);
void pf_annotated_destroyed(const struct pf_call *c, const void *lock);

#endif
