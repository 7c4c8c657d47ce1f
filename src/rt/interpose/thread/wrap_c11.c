/*
 * wrap_c11.c - C11 <threads.h>: thrd_*, mtx_*, cnd_*. call_once is in wrap_once.c; tss_* are keys
 * and need nothing.
 *
 * glibc's C11 functions call the pthread ones inside libc, without going through symbols, so each
 * is interposed over its own real function. Its types are the pthread types under other names: a
 * thrd_t is a pthread_t, and a mtx_t holds a pthread_mutex_t, from which its type is read. So locks
 * and threads have the same addresses and ids in both interfaces.
 */
#include "listener.h"
#include "lock_misuse.h"
#include "removed_lock.h"
#include "thread_record.h"
#include "wrap_mutex.h"
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mtx_t is a pthread_mutex_t");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "a thrd_t is a pthread_t");

static int start(void *record)
{
    struct pf_thread_record *s = record;
    int (*run)(void *) = s->run.c11;
    void *arg = s->arg;
    pf_thread_record_begin(s);
    struct pf_frame *base __attribute__((cleanup(pf_thread_record_rewind))) = __pf_tls.frame;
    return run(arg);
}

PF_INTERPOSE(int, thrd_create, (thrd_t * id, thrd_start_t run, void *arg))
{
    PF_CALL(c, thrd_create);
    struct pf_thread_record *s = c.t ? pf_thread_record_new(&c, arg, false) : NULL;
    if (!s)
        return PF_REAL(thrd_create)(id, run, arg);
    s->run.c11 = run;
    /* the child inherits the signal mask */
    int r = PF_BLOCKING(c, PF_REAL(thrd_create)(id, start, s));
    pf_thread_record_created(s, r == thrd_success ? *id : 0, r == thrd_success);
    return r;
}

PF_INTERPOSE(int, thrd_join, (thrd_t id, int *result))
{
    PF_CALL(c, thrd_join);
    if (!c.t)
        return PF_REAL(thrd_join)(id, result);
    struct pf_thread_record *s = pf_thread_record_find(id);
    int r = PF_JOINING(c, s, PF_REAL(thrd_join)(id, result));
    if (r == thrd_success && s)
        pf_thread_record_joined(&c, s);
    if (r == thrd_success && result)
        pf_runtime_write(c.t, result, sizeof *result, pf_call_id(&c, PF_NATIVE_WRITE));
    return r;
}

PF_INTERPOSE(int, thrd_detach, (thrd_t id))
{
    PF_CALL(c, thrd_detach);
    struct pf_thread_record *s = c.t ? pf_thread_record_find(id) : NULL;
    int r = PF_REAL(thrd_detach)(id);
    if (r == thrd_success && s)
        pf_thread_record_detached(s);
    return r;
}

PF_INTERPOSE(__attribute__((noreturn)) void, thrd_exit, (int result))
{
    pf_thread_record_ensure(pf_self(), false);
    PF_REAL(thrd_exit)(result);
    __builtin_unreachable();
}

PF_INTERPOSE(int, mtx_init, (mtx_t * m, int type))
{
    PF_CALL(c, mtx_init);
    pf_lock_reset(&c, m, sizeof *m);
    return PF_REAL(mtx_init)(m, type);
}

PF_INTERPOSE(void, mtx_destroy, (mtx_t * m))
{
    PF_CALL(c, mtx_destroy);
    if (c.t)
        pf_mutex_check_destroy(&c, (pthread_mutex_t *)m);
    pf_lock_reset(&c, m, sizeof *m);
    PF_REAL(mtx_destroy)(m);
}

static inline int taken(struct pf_call *c, mtx_t *m, int r)
{
    if (c->t && r == thrd_success)
        pf_mutex_taken(c, (pthread_mutex_t *)m);
    else if (c->t)
        pf_lock_failed(c, m, r == thrd_busy || r == thrd_timedout);
    return r;
}

PF_INTERPOSE(int, mtx_trylock, (mtx_t * m))
{
    PF_CALL(c, mtx_trylock);
    if (pf_removed_lock(&c, m))
        return thrd_success;
    pf_lock_check_access(&c, m);
    return taken(&c, m, PF_REAL(mtx_trylock)(m));
}

PF_INTERPOSE(int, mtx_lock, (mtx_t * m))
{
    PF_CALL(c, mtx_lock);
    if (pf_removed_lock(&c, m))
        return thrd_success;
    pf_lock_check_order(&c, m, false);
    pf_lock_check_access(&c, m);
    if (!c.t)
        return PF_REAL(mtx_lock)(m);
    if (c.t->order.nheld)
        pf_mutex_check_wait(&c, (pthread_mutex_t *)m);
    return taken(&c, m, PF_BLOCKING(c, PF_REAL(mtx_lock)(m)));
}

PF_INTERPOSE(int, mtx_timedlock, (mtx_t *restrict m, const struct timespec *restrict until))
{
    PF_CALL(c, mtx_timedlock);
    if (pf_removed_lock(&c, m))
        return thrd_success;
    pf_lock_check_access(&c, m);
    if (!c.t)
        return PF_REAL(mtx_timedlock)(m, until);
    int r = PF_BLOCKING(c, PF_REAL(mtx_timedlock)(m, until));
    if (r == thrd_timedout && pf_mode->retry_at_limit)
        r = PF_REAL(mtx_trylock)(m) == thrd_success ? thrd_success : thrd_timedout;
    return taken(&c, m, r);
}

PF_INTERPOSE(int, mtx_unlock, (mtx_t * m))
{
    PF_CALL(c, mtx_unlock);
    if (pf_removed_unlock(&c, m))
        return thrd_success;
    if (c.t && !pf_lock_dropping(c.t, m))
        pf_mutex_check_unlock(&c, (pthread_mutex_t *)m);
    return PF_REAL(mtx_unlock)(m);
}

PF_INTERPOSE(int, cnd_init, (cnd_t * cond))
{
    PF_CALL(c, cnd_init);
    pf_sync_check_reset(&c, cond, PF_COND_INITIALISED);
    pf_object_reset(&c, cond);
    return PF_REAL(cnd_init)(cond);
}

PF_INTERPOSE(void, cnd_destroy, (cnd_t * cond))
{
    PF_CALL(c, cnd_destroy);
    pf_sync_check_reset(&c, cond, PF_COND_DESTROYED);
    pf_object_reset(&c, cond);
    if (c.t) /* it waits for threads that are about to leave */
        PF_CALLBACK_VOID(c, PF_REAL(cnd_destroy)(cond));
    else
        PF_REAL(cnd_destroy)(cond);
}

PF_INTERPOSE(int, cnd_wait, (cnd_t * cond, mtx_t *m))
{
    PF_CALL(c, cnd_wait);
    if (!c.t)
        return PF_REAL(cnd_wait)(cond, m);
    pf_mutex_take_before_wait(&c, (pthread_mutex_t *)m);
    return PF_MUTEX_WAIT(c, (pthread_cond_t *)cond, (pthread_mutex_t *)m,
                         PF_REAL(cnd_wait)((cnd_t *)pf_w_.on, m));
}

PF_INTERPOSE(int, cnd_timedwait,
             (cnd_t *restrict cond, mtx_t *restrict m, const struct timespec *restrict until))
{
    PF_CALL(c, cnd_timedwait);
    if (!c.t)
        return PF_REAL(cnd_timedwait)(cond, m, until);
    pf_mutex_take_before_wait(&c, (pthread_mutex_t *)m);
    return PF_MUTEX_WAIT(c, (pthread_cond_t *)cond, (pthread_mutex_t *)m,
                         PF_REAL(cnd_timedwait)((cnd_t *)pf_w_.on, m, until));
}

PF_INTERPOSE(int, cnd_signal, (cnd_t * cond))
{
    PF_CALL(c, cnd_signal);
    pf_object_used(&c, cond);
    pf_sync_woken(&c, cond, false);
    uint32_t woken = pf_cond_notify((pthread_cond_t *)cond, false);
    if (c.t)
        pf_listener_notify(c.t, PF_EV_SIGNAL, cond, woken);
    return PF_REAL(cnd_signal)(cond);
}

PF_INTERPOSE(int, cnd_broadcast, (cnd_t * cond))
{
    PF_CALL(c, cnd_broadcast);
    pf_object_used(&c, cond);
    pf_sync_woken(&c, cond, true);
    pf_cond_notify((pthread_cond_t *)cond, true);
    if (c.t)
        pf_listener_notify(c.t, PF_EV_BROADCAST, cond, 0);
    return PF_REAL(cnd_broadcast)(cond);
}
