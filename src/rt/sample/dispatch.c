/*
 * dispatch.c - which body a call runs if the thread's dispatch word does not decide it: the thread
 * is new, or a sampling policy decides.
 */
#include "entry.h"
#include "hb.h"
#include "hooks.h"
#include "rt.h"
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

void __pf_crossed(void *func)
{
    (void)func;
    __atomic_store_n(&__pf_tls.body_switch, 0, __ATOMIC_RELAXED);
    if (!pf_rt.sampling || !__pf_tls.thread)
        return;
    pf_nest();
    pf_lock_enter_watch_body(__pf_tls.thread, __pf_tls.frame - 1);
    pf_unnest();
}
