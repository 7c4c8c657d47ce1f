/* signal_run.c - calls a handler of the target: its mask, its stack. */
#define _GNU_SOURCE
#include "signals.h"

static bool within(const stack_t *s, uint64_t sp) { return sp - (uint64_t)s->ss_sp < s->ss_size; }

uint64_t pf_handler_stack(const struct pf_action *act, uint64_t sp)
{
    const stack_t *s = &pf_world_self()->alternate;
    if (!(act->flags & SA_ONSTACK) || s->ss_flags & SS_DISABLE || !s->ss_size || within(s, sp))
        return 0;
    return ((uint64_t)s->ss_sp + s->ss_size) & ~63ull;
}

/* handler(number, info, u) with the stack pointer at `sp`. */
static void call_on(uint64_t sp, void *handler, int number, siginfo_t *info, void *u)
{
    register uint64_t keep __asm__("rbx") = sp;
    long n = number;
    __asm__ volatile("xchgq %%rsp, %%rbx\n\t"
                     "callq *%%rax\n\t"
                     "movq %%rbx, %%rsp"
                     : "+r"(keep), "+a"(handler), "+D"(n), "+S"(info), "+d"(u)
                     :
                     : "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2",
                       "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
}

bool pf_handler_run(const struct pf_action *act, siginfo_t *info, void *at)
{
    struct pf_world_context *w = pf_world_self();
    ucontext_t *u = at;
    uint64_t before = w->mask, sp = pf_handler_stack(act, (uint64_t)__builtin_frame_address(0));
    int n = info->si_signo;
    __builtin_memcpy(&u->uc_sigmask, &before, sizeof before);
    pf_signal_mask(w, before | act->mask | (act->flags & SA_NODEFER ? 0 : pf_signal_bit(n)));
    if (sp) {
        call_on(sp, act->handler, n, info, u);
    } else {
        void (*f)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))act->handler;
        f(n, info, u);
    }
    __builtin_memcpy(&before, &u->uc_sigmask, sizeof before); /* the handler may have changed it */
    pf_signal_mask(pf_world_self(), before);
    return act->flags & SA_RESTART;
}
