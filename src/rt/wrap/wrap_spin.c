/*
 * wrap_spin.c - pthread_spin_*. They spin in user code, so a handler may run meanwhile.
 */
#include "wrap_lock.h"
#include <pthread.h>

PF_INTERPOSE(int, pthread_spin_init, (pthread_spinlock_t * l, int shared))
{
    PF_CALL(c, pthread_spin_init);
    pf_lock_renewed(&c, l, sizeof *l);
    return PF_REAL(pthread_spin_init)(l, shared);
}

PF_INTERPOSE(int, pthread_spin_destroy, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_destroy);
    pf_lock_renewed(&c, l, sizeof *l);
    return PF_REAL(pthread_spin_destroy)(l);
}

PF_INTERPOSE_OFTEN(int, pthread_spin_trylock, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_trylock);
    pf_lock_asked(&c, l);
    int r = PF_REAL(pthread_spin_trylock)(l);
    if (c.t && r == 0)
        pf_lock_taken(c.t, l, 0, pf_here(&c, PF_NATIVE_CALL));
    else if (c.t)
        pf_lock_refused(&c, l, r == EBUSY);
    return r;
}

PF_INTERPOSE_OFTEN(int, pthread_spin_lock, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_lock);
    pf_lock_asked(&c, l);
    if (!c.t)
        return PF_REAL(pthread_spin_lock)(l);
    int r = PF_BLOCKING(c, PF_REAL(pthread_spin_lock)(l));
    if (r == 0)
        pf_lock_taken(c.t, l, 0, 0);
    return r;
}

PF_INTERPOSE_OFTEN(int, pthread_spin_unlock, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_unlock);
    if (c.t)
        pf_lock_dropping(c.t, l);
    return PF_REAL(pthread_spin_unlock)(l);
}
