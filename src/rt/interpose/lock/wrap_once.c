/*
 * wrap_once.c - pthread_once and C11 call_once: the initialiser happens before every return.
 *
 * The real function decides which thread runs the initialiser. It is passed an initialiser of
 * ours, which finds the target's initialiser in the thread's innermost call (initialisers may
 * nest). An initialiser that is left by an exception or by cancellation happens before the next
 * attempt (C++ requires this of call_once, which is built on pthread_once).
 */
#include "hb.h"
#include "listener.h"
#include "wrap.h"
#include <pthread.h>
#include <threads.h>

struct attempt {
    struct pf_thread *t;
    void (*init)(void);
    const void *once;
    struct attempt *outer;
    struct pf_frame *frame; /* of the call; an exception leaves other frames above it */
    bool done; /* the initialiser has returned */
};
static __thread struct attempt *innermost;

static void attempt_leave(struct attempt *a) { innermost = a->outer; }

static void run_end(struct attempt **a)
{
    pf_nest();
    __pf_tls.frame = (*a)->frame;
    pf_hb_release((*a)->t, (*a)->once);
    if (pf_direct.exploring && !(*a)->done)
        pf_listener_notify((*a)->t, PF_EV_TRYFAIL, (*a)->once, 0);
    pf_unnest();
}

static void run(void)
{
    struct attempt *a __attribute__((cleanup(run_end))) = innermost;
    pf_nest();
    pf_hb_acquire(a->t, a->once);
    pf_unnest();
    a->init();
    a->done = true;
}

#define ONCE(fn, flag)                                                                             \
    PF_CALL(c, fn);                                                                                \
    if (!c.t)                                                                                      \
        return PF_REAL(fn)(flag, init);                                                            \
    struct attempt a __attribute__((cleanup(attempt_leave))) = {c.t,       init,           flag,   \
                                                                innermost, __pf_tls.frame, false}; \
    innermost = &a

PF_INTERPOSE(int, pthread_once, (pthread_once_t * flag, void (*init)(void)))
{
    ONCE(pthread_once, flag);
    int r = PF_BLOCKING(c, PF_REAL(pthread_once)(flag, run));
    if (r == 0)
        pf_hb_acquire(c.t, flag);
    return r;
}

PF_INTERPOSE(void, call_once, (once_flag * flag, void (*init)(void)))
{
    ONCE(call_once, flag);
    PF_BLOCKING(c, (PF_REAL(call_once)(flag, run), 0));
    pf_hb_acquire(c.t, flag);
}
