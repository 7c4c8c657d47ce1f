/*
 * wrap_sem.c - POSIX semaphores, unnamed and named: a post happens before the waits that come after
 * it. A named semaphore is identified by its address: sem_open returns the same address for the
 * same name, so opening, closing and unlinking need no interposer.
 */
#include "hb.h"
#include "listener.h"
#include "mode_ops.h"
#include "runtime_access.h"
#include "sync_misuse.h"
#include "wrap.h"
#include <semaphore.h>

PF_INTERPOSE(int, sem_init, (sem_t * s, int shared, unsigned value))
{
    PF_CALL(c, sem_init);
    pf_sync_check_reset(&c, s, "a semaphore is initialised while a thread waits on it");
    if (c.t)
        pf_hb_forget(s, sizeof *s);
    int r = PF_REAL(sem_init)(s, shared, value);
    pf_call_keep_errno(&c);
    return r;
}

PF_INTERPOSE(int, sem_destroy, (sem_t * s))
{
    PF_CALL(c, sem_destroy);
    pf_sync_check_reset(&c, s, "a semaphore is destroyed while a thread waits on it");
    int r = PF_REAL(sem_destroy)(s);
    pf_call_keep_errno(&c);
    if (c.t && r == 0)
        pf_hb_forget(s, sizeof *s);
    return r;
}

PF_INTERPOSE_HOT(int, sem_post, (sem_t * s))
{
    PF_CALL(c, sem_post);
    pf_sync_woken(&c, s, false);
    if (c.t)
        pf_hb_release(c.t, s);
    int r = PF_REAL(sem_post)(s);
    pf_call_keep_errno(&c);
    return r;
}

PF_REAL_EXTERN(sem_trywait);

/* A time limit has passed. In directed mode the wait fails only if the semaphore is 0 now. */
static int sem_take_now(sem_t *s)
{
    int r = PF_REAL(sem_trywait)(s);
    if (r)
        errno = ETIMEDOUT;
    return r;
}

/* The waits, which differ in how long they wait. */
#define WAIT(fn, call)                                                                             \
    PF_CALL(c, fn);                                                                                \
    if (!c.t)                                                                                      \
        return call;                                                                               \
    PF_WAITING(&c, s, NULL);                                                                       \
    int r = PF_BLOCKING(c, call);                                                                  \
    if (r && errno == ETIMEDOUT && pf_mode->retry_at_limit)                                        \
        r = sem_take_now(s);                                                                       \
    pf_waiting_.gave_up = r != 0;                                                                  \
    if (r == 0)                                                                                    \
        pf_hb_acquire(c.t, s);                                                                     \
    else if (pf_direct.exploring && (errno == EAGAIN || errno == ETIMEDOUT))                       \
        pf_listener_notify(c.t, PF_EV_TRYFAIL, s, 0);                                              \
    return r

PF_INTERPOSE_HOT(int, sem_wait, (sem_t * s)) { WAIT(sem_wait, PF_REAL(sem_wait)(s)); }
PF_INTERPOSE_HOT(int, sem_trywait, (sem_t * s)) { WAIT(sem_trywait, PF_REAL(sem_trywait)(s)); }
PF_INTERPOSE(int, sem_timedwait, (sem_t *restrict s, const struct timespec *restrict until))
{
    WAIT(sem_timedwait, PF_REAL(sem_timedwait)(s, until));
}
PF_INTERPOSE(int, sem_clockwait,
             (sem_t *restrict s, clockid_t clock, const struct timespec *restrict until))
{
    WAIT(sem_clockwait, PF_REAL(sem_clockwait)(s, clock, until));
}

/* It orders nothing. Exploration must know that it reads the value. */
PF_INTERPOSE(int, sem_getvalue, (sem_t *restrict s, int *restrict value))
{
    PF_CALL(c, sem_getvalue);
    if (!c.t)
        return PF_REAL(sem_getvalue)(s, value);
    pf_runtime_write(c.t, value, sizeof *value, pf_call_id(&c, PF_NATIVE_WRITE));
    int r = PF_REAL(sem_getvalue)(s, value);
    pf_call_keep_errno(&c);
    if (pf_direct.exploring)
        pf_listener_notify(c.t, PF_EV_TRYFAIL, s, 0);
    return r;
}
