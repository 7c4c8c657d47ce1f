/*
 * wrap_cxx.c - order made by code inside libstdc++.so, which pf cc does not compile: guards of
 * static local variables, and results that are set when a thread exits.
 *
 * Nothing else is needed for std::thread, mutex, shared_mutex, condition_variable, call_once,
 * future, latch, barrier and semaphore: the library calls pthread_* by symbol, and the atomics are
 * in its headers. Exceptions are in wrap_exception.c.
 *
 * Guards are implemented here, with libstdc++'s meaning of the bits: a C program that loads a C++
 * plugin has no real function to call, and objects that are not bound to our functions share the
 * guard. Compiled code tests the first byte by itself, with an acquire load.
 *
 *              31            17 16      15         9 8       7         1 0
 *             +----------------+---------+----------+--------+----------+------+
 *             |                | waiting |          |running |          | done |
 *             +----------------+---------+----------+--------+----------+------+
 */
#include "event.h"
#include "hb.h"
#include "mode_ops.h"
#include "wrap.h"
#include <linux/futex.h>

enum { GUARD_DONE = 1, GUARD_RUNNING = 1 << 8, GUARD_WAITING = 1 << 16 };

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

/* True if the caller must run the initialiser. */
static bool guard_enter(uint32_t *g)
{
    for (;;) {
        uint32_t seen = 0;
        if (__atomic_compare_exchange_n(g, &seen, GUARD_RUNNING, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return true;
        if (seen & GUARD_DONE)
            return false;
        uint32_t waiting = seen | GUARD_WAITING;
        if (seen == waiting || __atomic_compare_exchange_n(g, &seen, waiting, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            pf_target_futex(g, FUTEX_WAIT, waiting);
    }
}

static void guard_leave(uint32_t *g, uint32_t state)
{
    if (__atomic_exchange_n(g, state, __ATOMIC_ACQ_REL) & GUARD_WAITING)
        pf_target_futex(g, FUTEX_WAKE, INT32_MAX);
}

PF_PROVIDE(int, __cxa_guard_acquire, (uint64_t *guard))
{
    PF_CALL(c, __cxa_guard_acquire);
    if (!c.t)
        return guard_enter((uint32_t *)guard);
    bool run = PF_BLOCKING(c, guard_enter((uint32_t *)guard));
    pf_hb_acquire(c.t, guard); /* an aborted attempt happens before the next one, too */
    return run;
}

PF_PROVIDE(void, __cxa_guard_release, (uint64_t *guard))
{
    PF_CALL(c, __cxa_guard_release);
    if (c.t) {
        pf_hb_release(c.t, guard);
        /* The acquire load in compiled code reads this store. */
        pf_event_atomic_store(guard, 1, pf_call_id(&c, PF_NATIVE_WRITE));
    }
    guard_leave((uint32_t *)guard, GUARD_DONE);
}

PF_PROVIDE(void, __cxa_guard_abort, (uint64_t *guard))
{
    PF_CALL(c, __cxa_guard_abort);
    if (c.t)
        pf_hb_release(c.t, guard);
    guard_leave((uint32_t *)guard, 0);
}

/*
 * promise::set_value_at_thread_exit: libstdc++ adds the element
 *
 *      +0 next   +8 callback   +16 shared state   +24 its control block
 *
 * to a list of the thread, and calls the callback among the thread's destructors. The callback
 * takes a reference, makes the state ready (the word at +16 of the state, which future::get loads
 * with acquire) and drops the reference. All that happens inside the library, so a callback of ours
 * is called instead: it makes the release and calls the library's callback. Meanwhile it holds a
 * reference of its own, so that the last reference is not dropped inside the callback.
 */
struct exit_element {
    struct exit_element *next;
    void (*callback)(void *);
    char *state;
    char *control; /* +0 vtable, +8 strong count, +12 weak count */
};

static void (*make_ready)(void *);

static bool count_take(struct pf_call *c, int *count)
{
    int n = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (n &&
           !__atomic_compare_exchange_n(count, &n, n + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    if (n)
        pf_event_counter_update(count, (uint32_t)n, (uint32_t)n + 1,
                                pf_call_id(c, PF_NATIVE_WRITE));
    return n;
}

bool pf_count_drop(struct pf_call *c, int *count, int one)
{
    pf_hb_release(c->t, count);
    int n = __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL);
    pf_event_counter_update(count, (uint32_t)n, (uint32_t)n - 1, pf_call_id(c, PF_NATIVE_WRITE));
    if (n != one)
        return false;
    pf_hb_acquire(c->t, count);
    return true;
}

static void control_call(struct pf_call *c, char *control, int slot)
{
    void (*method)(void *) = (*(void (***)(void *))control)[slot];
    PF_CALLBACK_VOID(*c, method(control));
}

PF_NATIVE(set_value_at_thread_exit);

static void hand_over(void *element)
{
    struct exit_element e = *(struct exit_element *)element;
    PF_CALL(c, set_value_at_thread_exit);
    int *strong = (int *)(e.control + 8), *owners = (int *)(e.control + 12);
    if (!c.t || !e.control || !count_take(&c, strong)) {
        make_ready(element);
        return;
    }
    pf_hb_release(c.t, e.state + 16);
    pf_event_atomic_store(e.state + 16, 4, pf_call_id(&c, PF_NATIVE_WRITE));
    PF_CALLBACK_VOID(c, make_ready(element));
    if (pf_count_drop(&c, strong, 1)) {
        control_call(&c, e.control, 2); /* destroys the state */
        if (pf_count_drop(&c, owners, 1))
            control_call(&c, e.control, 3); /* frees the block */
    }
}

/* std::__future_base::_State_baseV2::_Make_ready::_M_set() */
void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(struct exit_element *e);
PF_INTERPOSE(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv,
             (struct exit_element * e))
{
    PF_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(e);
    __atomic_store_n(&make_ready, e->callback, __ATOMIC_RELAXED);
    e->callback = hand_over;
}

/* std::random_device::_M_getval() uses a processor instruction, which cannot be recorded. In
 * directed mode the kernel is asked instead. */
unsigned _ZNSt13random_device9_M_getvalEv(void *self);
PF_INTERPOSE(unsigned, _ZNSt13random_device9_M_getvalEv, (void *self))
{
    unsigned value;
    if (pf_mode->random(&value))
        return value;
    return PF_REAL(_ZNSt13random_device9_M_getvalEv)(self);
}

/* std::__atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *, unsigned, bool, ...), in which
 * std::future waits. Its callers load the word again in a loop, as for a spurious wake-up. In
 * directed mode a wait without a time limit returns at once, so only the caller's loop remains: the
 * scheduler recognises loops that wait, and exploration knows what they wait for. */
/* clang-format off */
#define FUTURE_WAIT _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE
/* clang-format on */
bool FUTURE_WAIT(void *self, unsigned *word, unsigned value, bool limited, long seconds,
                 long nanoseconds);
#define FUTURE_WAIT_AS(fn)                                                                         \
    PF_INTERPOSE(bool, fn,                                                                         \
                 (void *self, unsigned *word, unsigned value, bool limited, long seconds,          \
                  long nanoseconds))                                                               \
    {                                                                                              \
        if (pf_mode->future_returns && !limited)                                                   \
            return true;                                                                           \
        PF_CALL(c, fn);                                                                            \
        return c.t ? PF_BLOCKING(c, PF_REAL(fn)(self, word, value, limited, seconds, nanoseconds)) \
                   : PF_REAL(fn)(self, word, value, limited, seconds, nanoseconds);                \
    }
#define INTERPOSE_FUTURE_WAIT(fn) FUTURE_WAIT_AS(fn)
INTERPOSE_FUTURE_WAIT(FUTURE_WAIT)
