/*
 * wrap_cond.c - waiting on condition variables: the mutex is released and taken again.
 *
 * POSIX orders waiter and signaller only by the mutex, so signal and broadcast make no order; they
 * only notify the listener. glibc has two versions of these symbols: all programs linked since 2003
 * use GLIBC_2.3.2, but dlsym might return the older one.
 */
#include "listener.h"
#include "wrap_mutex.h"

#define COND_VERSION "GLIBC_2.3.2"

/* pthread_cond_init and _destroy: because they are interposed, a recording knows that they access
 * only the condition variable. */
PF_INTERPOSE_VERSION(int, pthread_cond_init, COND_VERSION,
                     (pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attr))
{
    PF_CALL(c, pthread_cond_init);
    pf_sync_check_reset(&c, cond, PF_COND_INITIALISED);
    pf_object_reset(&c, cond);
    return PF_REAL(pthread_cond_init)(cond, attr);
}

PF_INTERPOSE_VERSION(int, pthread_cond_destroy, COND_VERSION, (pthread_cond_t * cond))
{
    PF_CALL(c, pthread_cond_destroy);
    if (!c.t)
        return PF_REAL(pthread_cond_destroy)(cond);
    pf_sync_check_reset(&c, cond, PF_COND_DESTROYED);
    pf_object_reset(&c, cond);
    /* It waits for threads that are about to leave. */
    return PF_BLOCKING(c, PF_REAL(pthread_cond_destroy)(cond));
}

PF_INTERPOSE_VERSION(int, pthread_cond_wait, COND_VERSION,
                     (pthread_cond_t *restrict cond, pthread_mutex_t *restrict m))
{
    PF_CALL(c, pthread_cond_wait);
    if (!c.t)
        return PF_REAL(pthread_cond_wait)(cond, m);
    pf_mutex_take_before_wait(&c, m);
    return PF_MUTEX_WAIT(c, cond, m, PF_REAL(pthread_cond_wait)(pf_w_.on, m));
}

PF_INTERPOSE_VERSION(int, pthread_cond_timedwait, COND_VERSION,
                     (pthread_cond_t *restrict cond, pthread_mutex_t *restrict m,
                      const struct timespec *restrict until))
{
    PF_CALL(c, pthread_cond_timedwait);
    if (!c.t)
        return PF_REAL(pthread_cond_timedwait)(cond, m, until);
    pf_mutex_take_before_wait(&c, m);
    return PF_MUTEX_WAIT(c, cond, m, PF_REAL(pthread_cond_timedwait)(pf_w_.on, m, until));
}

PF_INTERPOSE(int, pthread_cond_clockwait,
             (pthread_cond_t *restrict cond, pthread_mutex_t *restrict m, clockid_t clock,
              const struct timespec *restrict until))
{
    PF_CALL(c, pthread_cond_clockwait);
    if (!c.t)
        return PF_REAL(pthread_cond_clockwait)(cond, m, clock, until);
    pf_mutex_take_before_wait(&c, m);
    return PF_MUTEX_WAIT(c, cond, m, PF_REAL(pthread_cond_clockwait)(pf_w_.on, m, clock, until));
}

/* Waking others. */
PF_REAL_EXTERN(pthread_cond_signal);

uint32_t pf_cond_notify(pthread_cond_t *cond, bool all)
{
    uint32_t last = 0, thread;
    pthread_cond_t *own;
    while ((!last || all) && (own = pf_mode->cond_choose(cond, &thread))) {
        last = 1 + thread;
        PF_REAL(pthread_cond_signal)(own);
    }
    return last;
}

#define NOTIFY(fn, kind)                                                                           \
    PF_INTERPOSE_VERSION(int, fn, COND_VERSION, (pthread_cond_t * cond))                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        pf_object_used(&c, cond);                                                                  \
        pf_sync_woken(&c, cond, (kind) == PF_EV_BROADCAST);                                        \
        uint32_t woken = pf_cond_notify(cond, (kind) == PF_EV_BROADCAST);                          \
        if (c.t)                                                                                   \
            pf_listener_notify(c.t, kind, cond, (kind) == PF_EV_SIGNAL ? woken : 0);               \
        return PF_REAL(fn)(cond);                                                                  \
    }
NOTIFY(pthread_cond_signal, PF_EV_SIGNAL)
NOTIFY(pthread_cond_broadcast, PF_EV_BROADCAST)
