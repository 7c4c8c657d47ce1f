/*
 * removed_lock.h - a lock operation that does nothing (pf record --without-lock), to see what
 * the program does without it.
 *
 * Model:   the operations that are called from one line of the source return success and neither
 *          wait nor order anything. The unlock that belongs to such an operation does nothing
 *          either: it is the first unlock at which the thread holds the lock no more often than at
 *          the removed operation. A wait on a condition variable needs the mutex, so the mutex is
 *          really taken before the wait, and from then on the thread holds it.
 *          The line is that of the innermost position outside of system headers, so that a
 *          std::lock_guard is named by the line of the program that declares it.
 * Memory:  a list in the thread's state.
 * Threads: only in directed mode, so there is one kernel thread. Callers are inside PF_CALL.
 * Errors:  if a thread has too many removed locks at the same time, the next one is taken.
 */
#ifndef PF_RT_REMOVED_LOCK_H
#define PF_RT_REMOVED_LOCK_H

#include "wrap.h"

/* The slow paths of the functions below. */
bool pf_removed_lock_is_here(struct pf_call *c, const volatile void *lock);
bool pf_removed_lock_take_off(struct pf_call *c, const volatile void *lock);

/* Before a lock is taken. True: the call is removed and returns success. */
static inline bool pf_removed_lock(struct pf_call *c, const volatile void *lock)
{
    return __builtin_expect(pf_direct.removes_lock, 0) && pf_removed_lock_is_here(c, lock);
}
/* Before a lock is released, or a wait releases it. True: the thread does not hold the lock,
 * because the operation that should have taken it was removed. It then counts as released. */
static inline bool pf_removed_unlock(struct pf_call *c, const volatile void *lock)
{
    return __builtin_expect(pf_direct.removes_lock, 0) && pf_removed_lock_take_off(c, lock);
}

#endif
