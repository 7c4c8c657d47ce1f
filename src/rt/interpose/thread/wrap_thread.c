/*
 * wrap_thread.c - pthread_create, join, detach, cancel, exit and the names of threads.
 *
 * pthread_cancel makes no order, because POSIX specifies none. A join acquires what a cancelled
 * thread did, as always. But cancellation is a cause: without it, the thread would not do what it
 * does. So in directed mode it is recorded as a relaxed store, which the cancelled thread loads
 * where it may act on it: no reordering of the events can have the load's effect without the store.
 */
#include "entry.h"
#include "mode_ops.h"
#include "sys.h"
#include "thread_record.h"
#include "tracer.h"
#include <string.h>

static void *start(void *record)
{
    struct pf_thread_record *s = record;
    void *(*run)(void *) = s->run.pthread;
    void *arg = s->arg;
    uint32_t label = s->label;
    pf_thread_record_begin(s);
    struct pf_frame *base __attribute__((cleanup(pf_thread_record_rewind))) = __pf_tls.frame;
    __pf_tls.symbolic.callee = (void *)run;
    __pf_tls.symbolic.argument[0] = label;
    return run(arg);
}

/* Without an affinity in attr, the thread inherits that of its creator. glibc accepts a buffer of 0
 * bytes only if attr has no affinity; this is the test. (With a larger buffer it would return all
 * cores, which must not be copied.) */
static bool copy_affinity(const pthread_attr_t *attr, pthread_attr_t *own)
{
    cpu_set_t cores;
    return !pf_mode->has_kernel_threads || !pthread_attr_getaffinity_np(attr, 0, &cores) ||
           (!pthread_attr_getaffinity_np(attr, sizeof cores, &cores) &&
            !pthread_attr_setaffinity_np(own, sizeof cores, &cores));
}

/* Copies the attributes to `own`, with a stack of this size that glibc allocates. Returns false if
 * that is not possible. */
static bool allocate_stack(const pthread_attr_t *attr, pthread_attr_t *own, size_t size)
{
    int detached, inherits, policy;
    struct sched_param priority;
    sigset_t mask;
    return pthread_attr_getsigmask_np(attr, &mask) == PTHREAD_ATTR_NO_SIGMASK_NP &&
           !pthread_attr_getdetachstate(attr, &detached) &&
           !pthread_attr_setdetachstate(own, detached) &&
           !pthread_attr_getinheritsched(attr, &inherits) &&
           !pthread_attr_setinheritsched(own, inherits) &&
           !pthread_attr_getschedpolicy(attr, &policy) &&
           !pthread_attr_setschedpolicy(own, policy) &&
           !pthread_attr_getschedparam(attr, &priority) &&
           !pthread_attr_setschedparam(own, &priority) && copy_affinity(attr, own) &&
           !pthread_attr_setstacksize(own, size);
}

/* Tells the user once, because the program may depend on where the stack is. */
static void say_replaced(void)
{
    static bool announced;
    if (!__atomic_exchange_n(&announced, true, __ATOMIC_RELAXED))
        pf_mode->stack_replaced();
}

/* The stack of a thread also holds the runtime's frames and its thread-local variables, 16 KB. In
 * directed mode the kernel's signal frames and the scheduler need more, up to 12 KB for the
 * registers alone. Returns the attributes to use: `own`, a copy of attr with a larger stack, or
 * attr. Stacks of up to LEAST_GIVEN_STACK that the program provides are replaced; larger ones are
 * used as they are. destroy: set if `own` must be destroyed. */
#define LEAST_STACK (128u << 10)
#define LEAST_GIVEN_STACK (64u << 10)
static const pthread_attr_t *with_room(const pthread_attr_t *attr, pthread_attr_t *own,
                                       bool *destroy)
{
    size_t size = 0;
    void *given = NULL;
    if (!attr && pthread_getattr_default_np(own))
        return NULL;
    *destroy = !attr;
    if (attr)
        memcpy(own, attr, sizeof *own); /* shares what attr points to */
    /* glibc returns 0 as the upper end of the stack unless the program provides the stack's
     * memory. */
    if (pthread_attr_getstack(own, &given, &size) || size >= LEAST_STACK || size == 0)
        return attr;
    if ((uintptr_t)given + size != 0) {
        if (size > LEAST_GIVEN_STACK || pthread_attr_init(own))
            return attr;
        *destroy = true;
        if (!allocate_stack(attr, own, size + LEAST_STACK))
            return attr;
        say_replaced();
        return own;
    }
    return pthread_attr_setstacksize(own, size + LEAST_STACK) ? attr : own;
}

PF_INTERPOSE(int, pthread_create,
             (pthread_t * id, const pthread_attr_t *attr, void *(*run)(void *), void *arg))
{
    PF_CALL(c, pthread_create);
    int state = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &state);
    struct pf_thread_record *s =
        c.t ? pf_thread_record_new(&c, arg, state == PTHREAD_CREATE_DETACHED) : NULL;
    if (!s)
        return PF_REAL(pthread_create)(id, attr, run, arg);
    pthread_attr_t larger;
    bool destroy = false;
    attr = with_room(attr, &larger, &destroy);
    s->run.pthread = run;
    /* the caller has set them for the call of `run`, which the new thread makes */
    s->label = __pf_tls.symbolic.callee == (void *)run ? __pf_tls.symbolic.argument[0] : 0;
    /* the child inherits the signal mask */
    int r = PF_BLOCKING(c, PF_REAL(pthread_create)(id, attr, start, s));
    pf_thread_record_created(s, r == 0 ? *id : 0, r == 0);
    if (destroy)
        pthread_attr_destroy(&larger);
    return r;
}

/* The four joins differ in how long they wait; `waits` is PF_JOINING or TRYING. The record is
 * looked up first: after the join has returned, the pthread_t may belong to another thread. */
#define JOIN(fn, id, result, waits, call)                                                          \
    PF_CALL(c, fn);                                                                                \
    if (!c.t)                                                                                      \
        return call;                                                                               \
    struct pf_thread_record *s = pf_thread_record_find(id);                                        \
    int r = waits(c, s, call);                                                                     \
    if (r == 0 && s)                                                                               \
        pf_thread_record_joined(&c, s);                                                            \
    if (r == 0 && result)                                                                          \
        pf_runtime_write(c.t, result, sizeof *result, pf_call_id(&c, PF_NATIVE_WRITE));            \
    return r
#define TRYING(c, s, call) PF_BLOCKING(c, call)

PF_INTERPOSE(int, pthread_join, (pthread_t id, void **result))
{
    JOIN(pthread_join, id, result, PF_JOINING, PF_REAL(pthread_join)(id, result));
}
PF_INTERPOSE(int, pthread_tryjoin_np, (pthread_t id, void **result))
{
    JOIN(pthread_tryjoin_np, id, result, TRYING, PF_REAL(pthread_tryjoin_np)(id, result));
}
PF_INTERPOSE(int, pthread_timedjoin_np, (pthread_t id, void **result, const struct timespec *until))
{
    JOIN(pthread_timedjoin_np, id, result, TRYING,
         PF_REAL(pthread_timedjoin_np)(id, result, until));
}
PF_INTERPOSE(int, pthread_clockjoin_np,
             (pthread_t id, void **result, clockid_t clock, const struct timespec *until))
{
    JOIN(pthread_clockjoin_np, id, result, TRYING,
         PF_REAL(pthread_clockjoin_np)(id, result, clock, until));
}

PF_INTERPOSE(int, pthread_detach, (pthread_t id))
{
    PF_CALL(c, pthread_detach);
    struct pf_thread_record *s = c.t ? pf_thread_record_find(id) : NULL;
    int r = PF_REAL(pthread_detach)(id);
    if (r == 0 && s)
        pf_thread_record_detached(s);
    return r;
}

#define CANCELLED(op) (sizeof(uint32_t) | (op) << 8 | PF_RELAXED << 16)

static void cancel(struct pf_thread *t)
{
    void *store =
        __pf_atomic_begin(&t->interpose.cancelled, CANCELLED(PF_ATOMIC_STORE), PF_NATIVE_CALL);
    t->interpose.cancelled = 1;
    __pf_atomic_end(store, 1);
}

void pf_cancel_seen(struct pf_thread *t)
{
    t->interpose.cancel_seen = true;
    void *load =
        __pf_atomic_begin(&t->interpose.cancelled, CANCELLED(PF_ATOMIC_LOAD), PF_NATIVE_CALL);
    __pf_atomic_end(load, 0);
}

PF_INTERPOSE(int, pthread_cancel, (pthread_t id))
{
    PF_CALL(c, pthread_cancel);
    if (!c.t)
        return PF_REAL(pthread_cancel)(id);
    struct pf_thread *t = pf_mode->cancellation_of(id);
    if (t && !t->interpose.cancelled)
        PF_CALLBACK_VOID(c, cancel(t));
    return PF_BLOCKING(c, PF_REAL(pthread_cancel)(id)); /* it may cancel the caller itself */
}

PF_INTERPOSE(void, pthread_testcancel, (void))
{
    PF_CALL(c, pthread_testcancel);
    if (c.t)
        PF_CALLBACK_VOID(c, PF_REAL(pthread_testcancel)());
    else
        PF_REAL(pthread_testcancel)();
}

PF_INTERPOSE(__attribute__((noreturn)) void, pthread_exit, (void *result))
{
    pf_thread_record_ensure(pf_self(), false);
    PF_REAL(pthread_exit)(result);
    __builtin_unreachable();
}

static int rename_context(char *to, const char *name)
{
    size_t n = strnlen(name, 16);
    if (n == 16)
        return ERANGE;
    pf_copy(to, name, n + 1);
    return 0;
}

PF_INTERPOSE(int, pthread_getname_np, (pthread_t id, char *name, size_t size))
{
    const char *known = pf_mode->thread_name(id);
    if (known && *known && size >= 16) {
        pf_copy(name, known, 16);
        return 0;
    }
    return PF_REAL(pthread_getname_np)(known ? pthread_self() : id, name, size);
}

PF_INTERPOSE(int, pthread_setname_np, (pthread_t id, const char *name))
{
    PF_CALL(c, pthread_setname_np);
    char *known = pf_mode->thread_name(id);
    int r = known ? rename_context(known, name) : PF_REAL(pthread_setname_np)(id, name);
    struct pf_thread *t = c.t && r == 0 ? pf_thread_find(id) : NULL;
    if (t)
        pf_copy(t->name, name, strnlen(name, sizeof t->name - 1) + 1);
    /* a thread that has not begun is named by its first event */
    if (t && t->tls && pf_direct.tracing)
        pf_trace_name_thread(t->direct.context, t);
    return r;
}
