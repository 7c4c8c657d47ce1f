/*
 * wrap_spin.c - pthread_spin_*. They spin outside the runtime, so that signal handlers may run.
 * In directed mode no thread spins (directed_mode.c).
 */
#include "lock_misuse.h"
#include "mode_ops.h"
#include "removed_lock.h"
#include "wrap_lock.h"
#include <pthread.h>

PF_REAL_EXTERN(pthread_spin_lock);

PF_INTERPOSE(int, pthread_spin_init, (pthread_spinlock_t * l, int shared))
{
    PF_CALL(c, pthread_spin_init);
    pf_lock_reset(&c, l, sizeof *l);
    return PF_REAL(pthread_spin_init)(l, shared);
}

PF_INTERPOSE(int, pthread_spin_destroy, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_destroy);
    if (c.t)
        pf_spin_check_destroy(&c, (const pthread_spinlock_t *)l);
    pf_lock_reset(&c, l, sizeof *l);
    return PF_REAL(pthread_spin_destroy)(l);
}

PF_INTERPOSE_HOT(int, pthread_spin_trylock, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_trylock);
    if (pf_removed_lock(&c, l))
        return 0;
    pf_lock_check_access(&c, l);
    int r = PF_REAL(pthread_spin_trylock)(l);
    if (c.t && r == 0)
        pf_lock_taken(c.t, l, 0, pf_call_id(&c, PF_NATIVE_CALL));
    else if (c.t)
        pf_lock_failed(&c, l, r == EBUSY);
    return r;
}

PF_INTERPOSE_HOT(int, pthread_spin_lock, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_lock);
    if (pf_removed_lock(&c, l))
        return 0;
    pf_lock_check_order(&c, l, false);
    pf_lock_check_access(&c, l);
    if (!c.t)
        return pf_mode->spin_lock(l);
    if (c.t->order.nheld)
        pf_spin_check_wait(&c, l);
    int r = PF_BLOCKING(c, pf_mode->spin_lock(l));
    if (r == 0)
        pf_lock_taken(c.t, l, 0, pf_rt.lock_stacks ? pf_call_id(&c, PF_NATIVE_CALL) : 0);
    return r;
}

PF_INTERPOSE_HOT(int, pthread_spin_unlock, (pthread_spinlock_t * l))
{
    PF_CALL(c, pthread_spin_unlock);
    if (pf_removed_unlock(&c, l))
        return 0;
    if (c.t && !pf_lock_dropping(c.t, l))
        pf_spin_check_unlock(&c, l);
    int r = PF_REAL(pthread_spin_unlock)(l);
    pf_mode->spin_unlocked(l);
    return r;
}
