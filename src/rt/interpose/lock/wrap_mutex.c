/*
 * wrap_mutex.c - pthread_mutex_*: all types, including robust and priority-inheriting ones.
 *
 * A robust mutex whose owner died is still taken (EOWNERDEAD): thread_record.c released what the
 * owner held when it ended. A lock operation that fails orders nothing; if the mutex was busy, it
 * is the event PF_EV_TRYFAIL.
 */
#include "wrap_mutex.h"
#include "lock_misuse.h"
#include "lock_unwatched.h"
#include "removed_lock.h"
#include <linux/futex.h>

PF_REAL_EXTERN(pthread_mutex_lock);
PF_REAL_EXTERN(pthread_mutex_unlock);
extern PF_HIDDEN struct pf_func pf_native_pthread_mutex_lock, pf_native_pthread_mutex_unlock;

#define TAKEN(r) ((r) == 0 || (r) == EOWNERDEAD)

/*
 * Directed mode. Most of the cost of a recording is in locks. So the runtime locks and unlocks by
 * itself, in the same way as glibc, if no other thread can run meanwhile: the thread has budget
 * left, so neither the scheduler nor a listener needs to know. (While a listener needs every
 * operation, the budget stays 0 or pf_direct.slow_locks is set.) A thread that must wait does so
 * without the system call that would be trapped.
 */
#define NO_ELISION 512 /* PTHREAD_MUTEX_NO_ELISION_NP of glibc; irrelevant here */

/* False if the mutex is recursive, robust, shared between processes, or has a priority protocol. */
static inline bool is_simple(const pthread_mutex_t *m)
{
    unsigned kind = (unsigned)m->__data.__kind & ~(unsigned)NO_ELISION;
    return kind == PTHREAD_MUTEX_TIMED_NP || kind == PTHREAD_MUTEX_ADAPTIVE_NP ||
           kind == PTHREAD_MUTEX_ERRORCHECK_NP;
}

/* The calling thread if it may do the call without glibc; else NULL. */
static inline struct pf_thread *thread_for_inline_call(void)
{
    struct pf_tls *tls = &__pf_tls;
    struct pf_thread *t = tls->thread;
    if (!pf_directed() || tls->budget <= 0 || tls->nested || !t || !t->owner || t->is_fiber ||
        t->signals || pf_direct.slow_locks)
        return NULL;
    return t;
}

/* The event is counted before the mutex is read: if the read faults, the recording ends after the
 * event, as it does if the slow path faults. Returns the hash before the event. */
static inline uint64_t count(struct pf_func *native)
{
    uint64_t hash = pf_direct.hash;
    pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
    __pf_tls.budget--;
    __asm__ volatile("" ::: "memory");
    return hash;
}
/* The slow path has to do the call, and counts it. */
static inline bool uncount(uint64_t hash)
{
    pf_direct.hash = hash;
    __pf_tls.budget++;
    return false;
}

static inline bool lock_without_glibc(struct pf_func *native, pthread_mutex_t *m)
{
    struct pf_thread *t = thread_for_inline_call();
    if (!t || t->order.nheld == PF_HELD_MAX)
        return false;
    uint64_t before = count(native);
    if (m->__data.__lock != 0 || !is_simple(m))
        return uncount(before);
    m->__data.__lock = 1;
    m->__data.__owner = t->owner;
    m->__data.__nusers++;
    t->order.held[t->order.nheld++] = (struct pf_held_lock){.addr = (uintptr_t)m, .depth = 1};
    return true;
}

static inline bool unlock_without_glibc(struct pf_func *native, pthread_mutex_t *m)
{
    struct pf_thread *t = thread_for_inline_call();
    if (!t || !t->order.nheld || t->order.held[t->order.nheld - 1].addr != (uintptr_t)m ||
        t->order.held[t->order.nheld - 1].depth != 1)
        return false;
    uint64_t before = count(native);
    if (m->__data.__lock != 1 || !is_simple(m) || m->__data.__owner != t->owner)
        return uncount(before);
    m->__data.__owner = 0;
    m->__data.__nusers--;
    m->__data.__lock = 0;
    t->order.nheld--;
    return true;
}

/* Directed mode: a thread waits for this mutex here, and not in glibc. */
static inline bool waits_here(const struct pf_thread *t, const pthread_mutex_t *m)
{
    return pf_directed() && t->owner && is_simple(m);
}

static int lock(struct pf_thread *t, pthread_mutex_t *m)
{
    bool waited = false;
    while (waits_here(t, m) && m->__data.__lock && m->__data.__owner != t->owner) {
        waited = true;
        m->__data.__lock = 2; /* glibc's value for: there may be waiters */
        pf_target_futex(&m->__data.__lock, FUTEX_WAIT_PRIVATE, 2);
    }
    int r = PF_REAL(pthread_mutex_lock)(m);
    if (r == 0 && is_simple(m)) {
        t->owner = m->__data.__owner;
        if (waited)
            m->__data.__lock = 2; /* there may be more waiters */
    }
    return r;
}

static int unlock(struct pf_thread *t, pthread_mutex_t *m)
{
    if (!waits_here(t, m) || m->__data.__lock != 2 || m->__data.__owner != t->owner)
        return PF_REAL(pthread_mutex_unlock)(m);
    m->__data.__lock = 1;
    int r = PF_REAL(pthread_mutex_unlock)(m);
    pf_target_futex(&m->__data.__lock, FUTEX_WAKE_PRIVATE, 1);
    return r;
}

void pf_mutex_take_before_wait(struct pf_call *c, pthread_mutex_t *m)
{
    if (!pf_removed_unlock(c, m))
        return;
    int r = PF_BLOCKING(*c, lock(c->t, m));
    if (TAKEN(r))
        pf_mutex_taken(c, m);
}

/* The call returned r, which is not success; busy: the error if another thread holds the mutex. The
 * calls with a time limit also return EINVAL for a bad time. */
static void failed(struct pf_call *c, const pthread_mutex_t *m, int r, int busy)
{
    pf_lock_failed(c, m, r == busy);
    if (r == EINVAL && (busy != ETIMEDOUT || m->__data.__kind < 0))
        pf_mutex_check_invalid(c, m);
}

PF_INTERPOSE(int, pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *attr))
{
    PF_CALL(c, pthread_mutex_init);
    pf_lock_reset(&c, m, sizeof *m);
    return PF_REAL(pthread_mutex_init)(m, attr);
}

PF_INTERPOSE(int, pthread_mutex_destroy, (pthread_mutex_t * m))
{
    PF_CALL(c, pthread_mutex_destroy);
    if (c.t)
        pf_mutex_check_destroy(&c, m);
    int r = PF_REAL(pthread_mutex_destroy)(m);
    if (r == 0)
        pf_lock_reset(&c, m, sizeof *m);
    return r;
}

PF_INTERPOSE_HOT(int, pthread_mutex_trylock, (pthread_mutex_t * m))
{
    PF_CALL(c, pthread_mutex_trylock);
    if (pf_removed_lock(&c, m))
        return 0;
    pf_lock_check_access(&c, m);
    int r = PF_REAL(pthread_mutex_trylock)(m);
    if (c.t && TAKEN(r))
        pf_mutex_taken(&c, m);
    else if (c.t)
        failed(&c, m, r, EBUSY);
    return r;
}

/* The mutex is taken, but the fast path could not record it. */
static __attribute__((noinline)) void record_taken(pthread_mutex_t *m, const void *caller)
{
    PF_CALL_FROM(c, pthread_mutex_lock, caller);
    if (c.t)
        pf_mutex_taken(&c, m);
}

/* A signal arrived while the fast path was nested. */
static __attribute__((noinline)) void poll_signals(struct pf_thread *t)
{
    int err = errno;
    pf_signal_poll_if_pending(t);
    errno = err;
}

static __attribute__((noinline)) int lock_while_unwatched(struct pf_thread *t, pthread_mutex_t *m,
                                                          const void *caller)
{
    int r = PF_REAL(pthread_mutex_lock)(m);
    if (r)
        return r;
    pf_nest();
    bool done = pf_unwatched_lock(t, m);
    pf_unnest();
    if (__builtin_expect(!done, 0))
        record_taken(m, caller);
    else if (__builtin_expect(t->signals != NULL, 0))
        poll_signals(t);
    return 0;
}

static __attribute__((noinline)) bool unlock_while_unwatched(struct pf_thread *t,
                                                             pthread_mutex_t *m)
{
    pf_nest();
    bool done = pf_unwatched_unlock(t, m);
    pf_unnest();
    if (__builtin_expect(t->signals != NULL, 0))
        poll_signals(t);
    return done;
}

/* The general paths are functions of their own: the short paths do not save registers for them. */
static __attribute__((noinline)) int lock_checked(pthread_mutex_t *m, const void *caller)
{
    PF_CALL_FROM(c, pthread_mutex_lock, caller);
    if (pf_removed_lock(&c, m))
        return 0;
    pf_lock_check_order(&c, m, false);
    enum pf_lock_check ask = pf_lock_precheck(&c, m);
    if (ask && is_simple(m) && !PF_REAL(pthread_mutex_trylock)(m)) {
        pf_mutex_taken(&c, m);
        pf_lock_record_access(&c, m, ask);
        return 0;
    }
    pf_lock_check_access(&c, m);
    if (!c.t)
        return PF_REAL(pthread_mutex_lock)(m);
    if (c.t->order.nheld)
        pf_mutex_check_wait(&c, m);
    int r = PF_BLOCKING(c, lock(c.t, m));
    if (TAKEN(r))
        pf_mutex_taken(&c, m);
    else if (r == EINVAL)
        pf_mutex_check_invalid(&c, m);
    return r;
}

PF_INTERPOSE_HOT(int, pthread_mutex_lock, (pthread_mutex_t * m))
{
    if (lock_without_glibc(&pf_native_pthread_mutex_lock, m))
        return 0;
    struct pf_thread *t = pf_unwatched_thread();
    if (t)
        pf_unwatched_prefetch(m);
    if (t && is_simple(m) &&
        (!pf_rt.lock_order || pf_lock_order_known(t, m, false) || pf_lock_order_skips(t)))
        return lock_while_unwatched(t, m, __builtin_return_address(0));
    return lock_checked(m, __builtin_return_address(0));
}

/* A call with a time limit has returned r; returns the result for the program. At the limit the
 * mutex is tried once more (retry_at_limit in mode_ops.h). */
static int timed_result(struct pf_call *c, pthread_mutex_t *m, int r)
{
    if (r == ETIMEDOUT && pf_mode->retry_at_limit && is_simple(m) &&
        !PF_REAL(pthread_mutex_trylock)(m))
        r = 0;
    if (TAKEN(r))
        pf_mutex_taken(c, m);
    else
        failed(c, m, r, ETIMEDOUT);
    return r;
}

PF_INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *until))
{
    PF_CALL(c, pthread_mutex_timedlock);
    if (pf_removed_lock(&c, m))
        return 0;
    pf_lock_check_access(&c, m);
    if (!c.t)
        return PF_REAL(pthread_mutex_timedlock)(m, until);
    return timed_result(&c, m, PF_BLOCKING(c, PF_REAL(pthread_mutex_timedlock)(m, until)));
}

PF_INTERPOSE(int, pthread_mutex_clocklock,
             (pthread_mutex_t * m, clockid_t clock, const struct timespec *until))
{
    PF_CALL(c, pthread_mutex_clocklock);
    if (pf_removed_lock(&c, m))
        return 0;
    pf_lock_check_access(&c, m);
    if (!c.t)
        return PF_REAL(pthread_mutex_clocklock)(m, clock, until);
    return timed_result(&c, m, PF_BLOCKING(c, PF_REAL(pthread_mutex_clocklock)(m, clock, until)));
}

static __attribute__((noinline)) int unlock_checked(pthread_mutex_t *m, const void *caller)
{
    PF_CALL_FROM(c, pthread_mutex_unlock, caller);
    if (pf_removed_unlock(&c, m))
        return 0;
    if (!c.t)
        return PF_REAL(pthread_mutex_unlock)(m);
    if (!pf_lock_dropping(c.t, m))
        pf_mutex_check_unlock(&c, m);
    return unlock(c.t, m);
}

PF_INTERPOSE_HOT(int, pthread_mutex_unlock, (pthread_mutex_t * m))
{
    if (unlock_without_glibc(&pf_native_pthread_mutex_unlock, m))
        return 0;
    struct pf_thread *t = pf_unwatched_thread();
    if (t && is_simple(m) && unlock_while_unwatched(t, m))
        return PF_REAL(pthread_mutex_unlock)(m);
    return unlock_checked(m, __builtin_return_address(0));
}
