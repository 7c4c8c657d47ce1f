/*
 * wrap_testonly.c - the functions that only ThreadSanitizer's own tests call, so that they can be
 * built with pf cc: a barrier that makes no order, and the depth of the shadow stack.
 */
#include "sys.h"
#include "wrap.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

struct testonly_barrier { /* 8 bytes, as ThreadSanitizer's type */
    uint32_t arrived, count;
};

#define PROVIDE(result, fn, parameters)                                                            \
    result fn parameters;                                                                          \
    PF_EXPORT __attribute__((weak)) result fn parameters

PROVIDE(void, __tsan_testonly_barrier_init, (struct testonly_barrier * b, unsigned count))
{
    *b = (struct testonly_barrier){0, count};
}

PROVIDE(void, __tsan_testonly_barrier_wait, (struct testonly_barrier * b))
{
    uint32_t mine = __atomic_fetch_add(&b->arrived, 1, __ATOMIC_ACQ_REL), round = mine / b->count;
    if ((mine + 1) / b->count != round)
        syscall(SYS_futex, &b->arrived, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
    for (uint32_t now; (now = __atomic_load_n(&b->arrived, __ATOMIC_ACQUIRE)) / b->count == round;)
        syscall(SYS_futex, &b->arrived, FUTEX_WAIT, now, NULL, NULL, 0);
}

PROVIDE(unsigned long, __tsan_testonly_shadow_stack_current_size, (void))
{
    struct pf_thread *t = __pf_tls.thread;
    return t ? (unsigned long)(__pf_tls.frame - t->context.frames) : 0;
}
