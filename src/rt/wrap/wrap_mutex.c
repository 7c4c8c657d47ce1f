/*
 * wrap_mutex.c - pthread_mutex_*: every type, robust and priority-inheriting ones too.
 *
 * A robust mutex whose owner died is taken all the same (EOWNERDEAD): wrap_start.c gave up what
 * the owner held when it ended. A lock that fails is no event.
 */
#include "wrap_mutex.h"

#define TAKEN(r) ((r) == 0 || (r) == EOWNERDEAD)

PF_INTERPOSE(int, pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *attr))
{
    PF_CALL(c, pthread_mutex_init);
    pf_lock_renewed(&c, m, sizeof *m);
    return PF_REAL(pthread_mutex_init)(m, attr);
}

PF_INTERPOSE(int, pthread_mutex_destroy, (pthread_mutex_t * m))
{
    PF_CALL(c, pthread_mutex_destroy);
    int r = PF_REAL(pthread_mutex_destroy)(m);
    if (r == 0)
        pf_lock_renewed(&c, m, sizeof *m);
    return r;
}

PF_INTERPOSE_OFTEN(int, pthread_mutex_trylock, (pthread_mutex_t * m))
{
    PF_CALL(c, pthread_mutex_trylock);
    pf_lock_asked(&c, m);
    int r = PF_REAL(pthread_mutex_trylock)(m);
    if (c.t && TAKEN(r))
        pf_mutex_taken(&c, m);
    else if (c.t)
        pf_lock_refused(&c, m, r == EBUSY);
    return r;
}

PF_INTERPOSE_OFTEN(int, pthread_mutex_lock, (pthread_mutex_t * m))
{
    PF_CALL(c, pthread_mutex_lock);
    pf_lock_asked(&c, m);
    if (!c.t)
        return PF_REAL(pthread_mutex_lock)(m);
    int r = PF_BLOCKING(c, PF_REAL(pthread_mutex_lock)(m));
    if (TAKEN(r))
        pf_mutex_taken(&c, m);
    return r;
}

PF_INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *until))
{
    PF_CALL(c, pthread_mutex_timedlock);
    pf_lock_asked(&c, m);
    if (!c.t)
        return PF_REAL(pthread_mutex_timedlock)(m, until);
    int r = PF_BLOCKING(c, PF_REAL(pthread_mutex_timedlock)(m, until));
    if (TAKEN(r))
        pf_mutex_taken(&c, m);
    else
        pf_lock_refused(&c, m, r == ETIMEDOUT);
    return r;
}

PF_INTERPOSE(int, pthread_mutex_clocklock,
             (pthread_mutex_t * m, clockid_t clock, const struct timespec *until))
{
    PF_CALL(c, pthread_mutex_clocklock);
    pf_lock_asked(&c, m);
    if (!c.t)
        return PF_REAL(pthread_mutex_clocklock)(m, clock, until);
    int r = PF_BLOCKING(c, PF_REAL(pthread_mutex_clocklock)(m, clock, until));
    if (TAKEN(r))
        pf_mutex_taken(&c, m);
    else
        pf_lock_refused(&c, m, r == ETIMEDOUT);
    return r;
}

PF_INTERPOSE_OFTEN(int, pthread_mutex_unlock, (pthread_mutex_t * m))
{
    PF_CALL(c, pthread_mutex_unlock);
    if (c.t)
        pf_lock_dropping(c.t, m);
    return PF_REAL(pthread_mutex_unlock)(m);
}
