/*
 * wrap_rwlock.c - pthread_rwlock_*: readers are ordered with writers, not among themselves.
 *
 * One function unlocks both kinds; hb.c finds the kind in the list of held locks.
 */
#include "lock_misuse.h"
#include "removed_lock.h"
#include "wrap_lock.h"
#include <pthread.h>

PF_INTERPOSE(int, pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *attr))
{
    PF_CALL(c, pthread_rwlock_init);
    pf_lock_reset(&c, l, sizeof *l);
    return PF_REAL(pthread_rwlock_init)(l, attr);
}

PF_INTERPOSE(int, pthread_rwlock_destroy, (pthread_rwlock_t * l))
{
    PF_CALL(c, pthread_rwlock_destroy);
    if (c.t)
        pf_rwlock_check_destroy(&c, l);
    int r = PF_REAL(pthread_rwlock_destroy)(l);
    if (r == 0)
        pf_lock_reset(&c, l, sizeof *l);
    return r;
}

static inline int taken(struct pf_call *c, pthread_rwlock_t *l, unsigned flags, int r)
{
    if (c->t && r == 0)
        pf_lock_taken(c->t, l, flags, pf_call_id(c, PF_NATIVE_CALL));
    else if (c->t)
        pf_lock_failed(c, l, r == EBUSY || r == ETIMEDOUT);
    return r;
}

/* The result of the call that tries once more (retry_at_limit in mode_ops.h). */
static inline int try_now(int r) { return r == EBUSY ? ETIMEDOUT : r; }

/* The functions for one kind of locking: `rd` shared, `wr` exclusive. For example
 * pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_timedwrlock,
 * pthread_rwlock_clockwrlock. */
#define RWLOCK(kind, flags)                                                                        \
    PF_INTERPOSE(int, pthread_rwlock_try##kind##lock, (pthread_rwlock_t * l))                      \
    {                                                                                              \
        PF_CALL(c, pthread_rwlock_try##kind##lock);                                                \
        if (pf_removed_lock(&c, l))                                                                \
            return 0;                                                                              \
        pf_lock_check_access(&c, l);                                                               \
        return taken(&c, l, flags, PF_REAL(pthread_rwlock_try##kind##lock)(l));                    \
    }                                                                                              \
    PF_INTERPOSE_HOT(int, pthread_rwlock_##kind##lock, (pthread_rwlock_t * l))                     \
    {                                                                                              \
        PF_CALL(c, pthread_rwlock_##kind##lock);                                                   \
        if (pf_removed_lock(&c, l))                                                                \
            return 0;                                                                              \
        pf_lock_check_order(&c, l, (flags) & PF_LOCK_SHARED);                                      \
        enum pf_lock_check ask = pf_lock_precheck(&c, l);                                          \
        if (ask && !PF_REAL(pthread_rwlock_try##kind##lock)(l)) {                                  \
            pf_lock_taken(c.t, l, flags, pf_call_id(&c, PF_NATIVE_CALL));                          \
            pf_lock_record_access(&c, l, ask);                                                     \
            return 0;                                                                              \
        }                                                                                          \
        pf_lock_check_access(&c, l);                                                               \
        if (!c.t)                                                                                  \
            return PF_REAL(pthread_rwlock_##kind##lock)(l);                                        \
        if (c.t->order.nheld)                                                                      \
            pf_rwlock_check_wait(&c, l, (flags) & PF_LOCK_SHARED);                                 \
        int r = PF_BLOCKING(c, PF_REAL(pthread_rwlock_##kind##lock)(l));                           \
        return taken(&c, l, flags, r);                                                             \
    }                                                                                              \
    PF_INTERPOSE(int, pthread_rwlock_timed##kind##lock,                                            \
                 (pthread_rwlock_t * l, const struct timespec *until))                             \
    {                                                                                              \
        PF_CALL(c, pthread_rwlock_timed##kind##lock);                                              \
        if (pf_removed_lock(&c, l))                                                                \
            return 0;                                                                              \
        pf_lock_check_access(&c, l);                                                               \
        if (!c.t)                                                                                  \
            return PF_REAL(pthread_rwlock_timed##kind##lock)(l, until);                            \
        int r = PF_BLOCKING(c, PF_REAL(pthread_rwlock_timed##kind##lock)(l, until));               \
        if (r == ETIMEDOUT && pf_mode->retry_at_limit)                                             \
            r = try_now(PF_REAL(pthread_rwlock_try##kind##lock)(l));                               \
        return taken(&c, l, flags, r);                                                             \
    }                                                                                              \
    PF_INTERPOSE(int, pthread_rwlock_clock##kind##lock,                                            \
                 (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until))            \
    {                                                                                              \
        PF_CALL(c, pthread_rwlock_clock##kind##lock);                                              \
        if (pf_removed_lock(&c, l))                                                                \
            return 0;                                                                              \
        pf_lock_check_access(&c, l);                                                               \
        if (!c.t)                                                                                  \
            return PF_REAL(pthread_rwlock_clock##kind##lock)(l, clock, until);                     \
        int r = PF_BLOCKING(c, PF_REAL(pthread_rwlock_clock##kind##lock)(l, clock, until));        \
        if (r == ETIMEDOUT && pf_mode->retry_at_limit)                                             \
            r = try_now(PF_REAL(pthread_rwlock_try##kind##lock)(l));                               \
        return taken(&c, l, flags, r);                                                             \
    }

RWLOCK(rd, PF_LOCK_SHARED)
RWLOCK(wr, 0)

PF_INTERPOSE_HOT(int, pthread_rwlock_unlock, (pthread_rwlock_t * l))
{
    PF_CALL(c, pthread_rwlock_unlock);
    if (pf_removed_unlock(&c, l))
        return 0;
    if (c.t && !pf_lock_dropping(c.t, l))
        pf_rwlock_check_unlock(&c, l);
    return PF_REAL(pthread_rwlock_unlock)(l);
}
