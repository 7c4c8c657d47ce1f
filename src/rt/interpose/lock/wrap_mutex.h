/*
 * wrap_mutex.h - what pthread mutexes, C11 mutexes and condition variables share.
 *
 * Threads: any. Callers are inside PF_CALL with a registered thread.
 */
#ifndef PF_RT_WRAP_MUTEX_H
#define PF_RT_WRAP_MUTEX_H

#include "mode_ops.h"
#include "sync_misuse.h"
#include "wrap_lock.h"
#include <pthread.h>

/* The caller has taken the mutex. glibc stores the type in the low bits of the kind, and robustness
 * above them. */
#define PF_MUTEX_KIND_ROBUST 16
static inline void pf_mutex_taken(struct pf_call *c, const pthread_mutex_t *m)
{
    bool recursive = (m->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP;
    bool robust = m->__data.__kind & PF_MUTEX_KIND_ROBUST;
    pf_lock_taken(c->t, m, (recursive ? PF_LOCK_RECURSIVE : 0) | (robust ? PF_LOCK_ROBUST : 0),
                  pf_rt.lock_stacks ? pf_call_id(c, PF_NATIVE_CALL) : 0);
}

/* Misuses of condition variables (pf_sync_check_reset). */
#define PF_COND_INITIALISED "a condition variable is initialised while a thread waits on it"
#define PF_COND_DESTROYED "a condition variable is destroyed while a thread waits on it"

/* Directed mode: wakes one waiter of the condition variable, or all. Returns 1 + the number of the
 * last thread that it has woken; 0: none. */
uint32_t pf_cond_notify(pthread_cond_t *cond, bool all);
/* Before a wait on a condition variable: takes the mutex if the operation that should have taken it
 * was removed (removed_lock.h). */
void pf_mutex_take_before_wait(struct pf_call *c, pthread_mutex_t *m);
/* Around a wait on a condition variable: the mutex is released, and is held again at every exit,
 * also by cancellation (POSIX and glibc take it again before cleanup handlers run). */
struct pf_mutex_wait {
    struct pf_call *c;
    pthread_cond_t *on; /* wait on this instead of the program's condition variable */
    pthread_cond_t *cond;
    bool returned;
    const void *mutex;
    uint32_t depth;
    struct pf_waiting waiting;
};
static inline struct pf_mutex_wait pf_mutex_wait_begin(struct pf_call *c, pthread_cond_t *cond,
                                                       const void *m)
{
    c->t->order.cond = cond;
    struct pf_waiting waiting = {0};
    pf_object_used(c, cond);
    if (pf_sync_misuse_enabled(c))
        waiting = pf_waiting_begin(c, cond, m);
    uint32_t depth = pf_lock_drop_all(c->t, m);
    pf_lock_check_order(c, m, false); /* the wait ends with taking it again */
    return (struct pf_mutex_wait){.c = c,
                                  .on = pf_mode->cond_enter(cond),
                                  .cond = cond,
                                  .mutex = m,
                                  .depth = depth,
                                  .waiting = waiting};
}
static inline void pf_mutex_wait_end(struct pf_mutex_wait *w)
{
    w->waiting.gave_up |= !w->returned;
    pf_waiting_end(&w->waiting);
    pf_lock_retaken(w->c->t, w->mutex, w->depth, pf_call_id(w->c, PF_NATIVE_CALL));
    if (pf_mode->cond_leave() && !w->returned)
        pf_cond_notify(w->cond, false); /* cancelled: another thread gets the signal */
}
/* expr waits on pf_w_.on. */
#define PF_MUTEX_WAIT(c, cond, m, expr)                                                            \
    __extension__({                                                                                \
        struct pf_mutex_wait pf_w_ __attribute__((cleanup(pf_mutex_wait_end))) =                   \
            pf_mutex_wait_begin(&(c), cond, m);                                                    \
        __typeof__(expr) pf_r_ = PF_BLOCKING(c, expr);                                             \
        pf_w_.returned = true;                                                                     \
        pf_w_.waiting.gave_up = pf_r_ != 0;                                                        \
        pf_r_;                                                                                     \
    })

#endif
