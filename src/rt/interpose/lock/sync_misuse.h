/*
 * sync_misuse.h - condition variables, barriers and semaphores that the program uses in a wrong
 * way: initialised or destroyed while threads wait on them, waited on with different mutexes, or
 * with a mutex that the thread does not hold.
 *
 * Model:   the objects on which threads wait now, with one of these threads. A thread waits until
 *          it is woken, so an object may be destroyed before its last thread has returned.
 * Memory:  the runtime's store, one record for each object with waiting threads.
 * Threads: any; one lock. Callers are inside PF_CALL.
 * Errors:  without memory nothing is checked. Only with the option report_sync_misuse, in free
 *          mode.
 */
#ifndef PF_RT_SYNC_MISUSE_H
#define PF_RT_SYNC_MISUSE_H

#include "misuse.h"
#include "options.h"
#include "rt.h"
#include "wrap.h"
#include <pthread.h>

/* A thread waits on an object, until the end of the scope. */
struct pf_waiting {
    const volatile void *object; /* NULL: not counted */
    bool gave_up; /* it ends without being woken: a time limit, an error, cancellation */
};
struct pf_waiting pf_waiting_begin(const struct pf_call *c, const volatile void *object,
                                   const pthread_mutex_t *mutex);
void pf_waiting_end(struct pf_waiting *w);

static inline bool pf_sync_misuse_enabled(const struct pf_call *c)
{
    return __builtin_expect(pf_options.report_sync_misuse, 0) && c->t;
}
/* Declares the scope. mutex: of a condition wait; else NULL. */
#define PF_WAITING(c, object, mutex)                                                               \
    struct pf_waiting pf_waiting_ __attribute__((cleanup(pf_waiting_end), unused)) =               \
        pf_sync_misuse_enabled(c) ? pf_waiting_begin(c, object, mutex) : (struct pf_waiting){0}

/* One of the waiting threads, or all of them, are about to be woken. They no longer count as
 * waiting, although they may not have returned yet. */
void pf_waiting_wake(const volatile void *object, bool all);
static inline void pf_sync_woken(const struct pf_call *c, const volatile void *object, bool all)
{
    if (pf_sync_misuse_enabled(c))
        pf_waiting_wake(object, all);
}

/* The object is about to be initialised or destroyed. `what` is the sentence that the finding
 * shows. */
void pf_waiting_check(const struct pf_call *c, const volatile void *object, const char *what);
static inline void pf_sync_check_reset(const struct pf_call *c, const volatile void *object,
                                       const char *what)
{
    if (pf_sync_misuse_enabled(c))
        pf_waiting_check(c, object, what);
}

void pf_waiting_lock(void); /* around fork */
void pf_waiting_unlock(bool child);

#endif
