/*
 * handler_call.c - calls a signal handler of the target under its mask and on its stack.
 */
#define _GNU_SOURCE
#include "signals.h"

static bool within(const stack_t *s, uint64_t sp) { return sp - (uint64_t)s->ss_sp < s->ss_size; }

uint64_t pf_handler_stack(const struct pf_signal_action *act, uint64_t sp)
{
    const stack_t *s = &pf_syscall_state_self()->alternate;
    if (!(act->flags & SA_ONSTACK) || s->ss_flags & SS_DISABLE || !s->ss_size || within(s, sp))
        return 0;
    return ((uint64_t)s->ss_sp + s->ss_size) & ~63ull;
}

/* Calls handler(number, info, u) on the stack whose upper end is sp. The frame is addressed by rbp,
 * so that unwinders find the way back to the caller's stack. */
void pf_call_on(int number, siginfo_t *info, void *u, void *handler, uint64_t sp)
    __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".globl pf_call_on\n"
        ".hidden pf_call_on\n"
        ".type pf_call_on, @function\n"
        "pf_call_on:\n"
        "  .cfi_startproc\n"
        "  pushq %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset %rbp, -16\n"
        "  movq %rsp, %rbp\n"
        "  .cfi_def_cfa_register %rbp\n"
        "  movq %r8, %rsp\n"
        "  callq *%rcx\n"
        "  leave\n"
        "  .cfi_def_cfa %rsp, 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size pf_call_on, .-pf_call_on\n");

bool pf_handler_run(const struct pf_signal_action *act, siginfo_t *info, void *at)
{
    struct pf_syscall_state *w = pf_syscall_state_self();
    ucontext_t *u = at;
    void **recover = pf_context_self()->recover;
    uint64_t before = w->mask, sp = pf_handler_stack(act, (uint64_t)__builtin_frame_address(0));
    int n = info->si_signo;
    pf_context_self()->recover = NULL; /* faults in the handler are the target's own */
    __builtin_memcpy(&u->uc_sigmask, &before, sizeof before);
    pf_signal_mask(w, before | act->mask | (act->flags & SA_NODEFER ? 0 : pf_signal_bit(n)));
    if (sp) {
        pf_call_on(n, info, u, act->handler, sp);
    } else {
        void (*f)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))act->handler;
        f(n, info, u);
    }
    __builtin_memcpy(&before, &u->uc_sigmask, sizeof before); /* the handler may have changed it */
    pf_signal_mask(pf_syscall_state_self(), before);
    pf_context_self()->recover = recover;
    return act->flags & SA_RESTART;
}
