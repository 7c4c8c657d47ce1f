/*
 * dispatch.c - which body a call runs if the thread's dispatch word does not decide it: the thread
 * is new, or a sampling policy decides. Also the switches between bodies in the middle of a call.
 */
#include "entry.h"
#include "hooks.h"
#include "rt.h"
#include "sample.h"
#include "thread_table.h"

uint32_t __pf_ask(void *func)
{
    if (__pf_tls.dispatch == PF_DISPATCH_NEW) {
        if (!__pf_tls.nested)
            pf_hooks.thread_adopt();
        if (__pf_tls.dispatch == PF_DISPATCH_NEW)
            pf_thread_unwatch();
    }
    switch ((enum pf_dispatch)__pf_tls.dispatch) {
    case PF_DISPATCH_PLAIN:
        return PF_BODY_PLAIN;
    case PF_DISPATCH_WATCH:
        return PF_BODY_WATCH;
    case PF_DISPATCH_EVENT:
        return PF_BODY_EVENT;
    case PF_DISPATCH_SYMBOLIC:
        return ((const struct pf_func *)func)->flags & PF_FUNCF_SYMBOLIC ? PF_BODY_SYMBOLIC
                                                                         : PF_BODY_EVENT;
    default:
        return pf_hooks.choose_body(func);
    }
}

void __pf_body_switched(void *func)
{
    (void)func;
    uint32_t asked = __atomic_exchange_n(&__pf_tls.body_switch, 0, __ATOMIC_RELAXED);
    __pf_tls.left_watch = NULL;
    if (!pf_rt.sampling || !__pf_tls.thread)
        return;
    pf_nest();
    pf_sample_burst_begins(__pf_tls.thread, asked);
    pf_unnest();
}

uint32_t __pf_rare_block(void *func, void *block)
{
    (void)func;
    if (!pf_rt.sampling) {
        __atomic_store_n(&((struct pf_rare_block *)block)->left, 0, __ATOMIC_RELAXED);
        return 0;
    }
    if (!__pf_tls.thread || __pf_tls.nested ||
        (__pf_tls.dispatch != PF_DISPATCH_COUNT && __pf_tls.dispatch != PF_DISPATCH_ASK))
        return 0;
    pf_nest();
    bool watch = pf_sample_rare_block(__pf_tls.thread, block);
    pf_unnest();
    return watch;
}

uint32_t __pf_burst_left(void *func, uint32_t iterations)
{
    if (!pf_rt.sampling || !__pf_tls.thread || __pf_tls.nested)
        return UINT32_MAX;
    pf_nest();
    uint32_t left = pf_sample_burst_left(__pf_tls.thread, func, iterations);
    pf_unnest();
    if (!left)
        __pf_tls.left_watch = __pf_tls.frame - 1;
    return left;
}
