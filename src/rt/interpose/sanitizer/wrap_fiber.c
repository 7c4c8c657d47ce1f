/*
 * wrap_fiber.c - fibers: ThreadSanitizer's interface for programs that switch stacks themselves.
 *
 * For the rest of the runtime a fiber is a thread. A switch exchanges the contents of the kernel
 * thread's __pf_tls: the current thread, its shadow stack, its key, its sampling state. Unless
 * SWITCH_NO_SYNC is given, a switch orders what the old fiber did before it ahead of what the new
 * one does after it.
 *
 * A kernel thread may end while it runs a fiber. Then it switches back to its own thread first: a
 * fiber that no kernel thread runs refers to no kernel thread's memory.
 *
 * Compiled code keeps the address of its frame in a register or on its own stack. So the two shadow
 * stacks are not mixed up, although the real stacks change some time after the announced switch.
 */
#include "hb.h"
#include "missing_call.h"
#include "rt.h"
#include "sample.h"
#include "slot.h"
#include "store.h"
#include "sys.h"
#include "thread_record.h"
#include <string.h>

/* the size of the stack is unknown: room for frames as for this size */
#define FRAMES_FOR (4u << 20)
#define SWITCH_NO_SYNC 1u

struct fiber {
    struct pf_thread *t;
    struct pf_hb_clock *switched; /* released by a switch to it, acquired after the switch */
    /* the words of __pf_tls that belong to it, while it does not run; the others follow from its
     * thread (pf_thread_update_key) */
    struct pf_frame *frame;
    int32_t *counts;
    uint32_t dispatch, stack_variables, woken, body_switch;
    struct pf_frame *left_watch;
};
static __thread struct fiber *running;
static __thread struct fiber *own; /* of the thread that the kernel thread began with */

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

static struct fiber *fiber_new(struct pf_thread *t)
{
    _Static_assert(sizeof(struct fiber) <= 64, "a fiber fits the smallest block");
    struct fiber *f = t ? pf_store_alloc(0) : NULL;
    if (f)
        *f = (struct fiber){
            .t = t, .switched = pf_hb_clock_new(), .stack_variables = pf_rt.stack_variables};
    return f;
}

/* Makes the thread of `to` the current one, and saves the old one in `from`. Nested. */
static void exchange(struct fiber *from, struct fiber *to)
{
    pf_sample_suspend(from->t, __pf_tls.frame);
    from->frame = __pf_tls.frame;
    from->counts = __pf_tls.counts;
    from->dispatch = __pf_tls.dispatch;
    from->woken = __pf_tls.woken;
    from->body_switch = __pf_tls.body_switch;
    from->left_watch = __pf_tls.left_watch;
    from->stack_variables = __pf_tls.stack_variables;
    __atomic_store_n(&from->t->tls, NULL, __ATOMIC_RELAXED);
    __pf_tls.frame = to->frame;
    __pf_tls.counts = to->counts;
    __pf_tls.dispatch = to->dispatch;
    __pf_tls.woken = to->woken;
    __pf_tls.body_switch = to->body_switch;
    __pf_tls.left_watch = to->left_watch;
    __pf_tls.stack_variables = to->stack_variables;
    __pf_tls.step = sizeof(struct pf_frame);
    __pf_tls.thread = to->t;
    __atomic_store_n(&to->t->tls, &__pf_tls, __ATOMIC_RELAXED);
    to->t->tid = (pid_t)pf_sys(SYS_gettid);
    /* deferred signals belong to the kernel thread */
    to->t->signals = from->t->signals;
    from->t->signals = NULL;
    pf_thread_update_key(to->t);
    pf_sample_resume(to->t);
}

PF_EXPORT __attribute__((weak)) void *__tsan_get_current_fiber(void)
{
    if (!running && pf_self()) {
        pf_nest();
        running = own = fiber_new(__pf_tls.thread);
        pf_unnest();
    }
    return running;
}

PF_PROVIDE(void *, __tsan_create_fiber, (unsigned flags))
{
    struct fiber *from = __tsan_get_current_fiber();
    PF_CALL(c, __tsan_create_fiber);
    if (!c.t || !from)
        return NULL;
    struct pf_thread *t = pf_thread_create(c.t);
    struct fiber *f = fiber_new(t);
    if (!f) {
        if (t)
            pf_thread_cancel_create(t);
        return NULL;
    }
    t->is_fiber = true;
    t->stack_hi = FRAMES_FOR; /* with stack_lo 0: a range in which the program has no memory */
    struct fiber here = {.t = c.t};
    exchange(&here, f);
    pf_thread_begin(t);
    exchange(f, &here);
    t->stack_hi = 0;
    if (!t->context.frames) { /* a limit, which was counted */
        pf_thread_joined(t, t); /* frees its clock */
        pf_hb_clock_free(f->switched);
        pf_store_free(f, 0);
        return NULL;
    }
    return f;
}

PF_EXPORT __attribute__((weak)) void __tsan_destroy_fiber(void *fiber)
{
    struct fiber *f = fiber, *here = __tsan_get_current_fiber();
    if (!f || !here || f == here || !pf_self())
        return;
    pf_nest();
    exchange(here, f);
    pf_thread_end(f->t);
    pf_thread_joined(f->t, f->t); /* no thread will join it: frees its clock */
    exchange(f, here);
    pf_hb_clock_free(f->switched);
    pf_store_free(f, 0);
    pf_unnest();
}

PF_EXPORT __attribute__((weak)) void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    struct fiber *to = fiber, *from = __tsan_get_current_fiber();
    if (!to || !from || to == from || !pf_self())
        return;
    pf_nest();
    if (!(flags & SWITCH_NO_SYNC))
        pf_hb_clock_release(from->t, to->switched);
    exchange(from, to);
    if (!(flags & SWITCH_NO_SYNC))
        pf_hb_clock_acquire(to->t, to->switched);
    running = to;
    pf_missing_call_switches();
    pf_unnest();
}

void pf_fiber_leave(void)
{
    if (!own || !__pf_tls.thread)
        return;
    pf_nest();
    if (running != own)
        exchange(running, own);
    pf_hb_clock_free(own->switched);
    pf_store_free(own, 0);
    running = own = NULL;
    pf_unnest();
}

PF_EXPORT __attribute__((weak)) void __tsan_set_fiber_name(void *fiber, const char *name)
{
    struct fiber *f = fiber;
    if (!f)
        return;
    pf_zero(f->t->name, sizeof f->t->name);
    pf_copy(f->t->name, name, strnlen(name, sizeof f->t->name - 1));
}
