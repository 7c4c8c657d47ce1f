/*
 * wrap_crash.c - reports crashes: where the target leaves a fatal signal at its default action, a
 * handler of ours prints the report, and the signal then kills the process as it would have done.
 *
 * The target does not see the handler: sigaction returns SIG_DFL. The options are
 * ThreadSanitizer's (handle_segv, handle_abort, …). A handler that the target installs replaces
 * ours, and ours comes back with SIG_DFL.
 *
 * Stack: the stack of the thread may be the reason for the crash, so every thread has an alternate
 * signal stack of ours unless the target sets its own. The report is built on a third stack,
 * because the target's may be small. The target does not see our alternate stack either.
 *
 * End: the handler restores the default action and sends the signal again, with all its
 * information, to its own thread. It is blocked until the handler returns, and kills the process at
 * the instruction that crashed; a core dump looks as it would without us. A second thread that
 * crashes waits for that.
 */
#include "crash_report.h"
#include "options.h"
#include "rt.h"
#include "runtime_access.h"
#include "sys.h"
#include "wrap_signal.h"
#include <ucontext.h>

#define ALTERNATE_SIZE (256u << 10) /* bytes of the alternate signal stack of a thread */
#define REPORT_STACK (256u << 10) /* bytes */

static pid_t crashing; /* the kernel thread that reports; 0: none */
static char *report_stack;
static __thread void *own_stack; /* our alternate stack of this thread; NULL: none */

struct crash {
    int number;
    siginfo_t *info;
    uintptr_t pc;
};

static void report(void *arg)
{
    const struct crash *c = arg;
    pf_crash_report(__pf_tls.thread, c->number, c->info, c->pc);
}

/* Calls report(c) on another stack. */
static void report_on(char *stack_end, struct crash *c)
{
    register struct crash *arg __asm__("rdi") = c;
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[stack], %%rsp\n\t"
                     "callq *%[f]\n\t"
                     "movq %%rbx, %%rsp"
                     : "+r"(arg)
                     : [stack] "r"(stack_end), [f] "r"(report)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

static void crash_entry(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    pid_t tid = (pid_t)pf_sys(SYS_gettid), none = 0;
    pf_nest();
    bool first =
        __atomic_compare_exchange_n(&crashing, &none, tid, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    while (!first && none != tid) /* the other thread ends the process */
        pf_sys(SYS_pause);
    if (first) { /* otherwise the report itself has crashed */
        struct crash c = {number, info, (uintptr_t)at->uc_mcontext.gregs[REG_RIP]};
        report_on(report_stack + REPORT_STACK - 64, &c);
    }
    struct sigaction standard = {.sa_handler = SIG_DFL};
    PF_REAL(sigaction)(number, &standard, NULL);
    long pid = pf_sys(SYS_getpid);
    pf_sys(SYS_rt_tgsigqueueinfo, pid, tid, number, info);
    pf_unnest();
}

void pf_crash_after_fork(void) { crashing = 0; }

static bool is_handled(int number)
{
    if (!report_stack)
        return false;
    switch (number) {
    case SIGSEGV:
        return pf_options.handle_segv > 0;
    case SIGBUS:
        return pf_options.handle_sigbus > 0;
    case SIGFPE:
        return pf_options.handle_sigfpe > 0;
    case SIGILL:
        return pf_options.handle_sigill > 0;
    case SIGABRT:
        return pf_options.handle_abort > 0;
    case SIGPIPE:
    case SIGXFSZ:
        return pf_options.handle_sigpipe > 0;
    default:
        return false;
    }
}

void pf_crash_default_action(int number, struct sigaction *act)
{
    if (!is_handled(number))
        return;
    act->sa_sigaction = crash_entry;
    act->sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&act->sa_mask);
}

bool pf_crash_is_default(const struct sigaction *act) { return act->sa_sigaction == crash_entry; }

/* --- alternate stacks --- */

static void install_stack(void)
{
    stack_t s = {.ss_sp = own_stack, .ss_size = ALTERNATE_SIZE};
    pf_sys(SYS_sigaltstack, &s, NULL);
}

void pf_crash_thread_begin(void)
{
    stack_t now;
    if (!report_stack || !pf_options.use_sigaltstack || own_stack ||
        pf_sys(SYS_sigaltstack, NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return;
    own_stack = pf_sys_map(NULL, ALTERNATE_SIZE);
    if (own_stack)
        install_stack();
}

void pf_crash_thread_end(void)
{
    stack_t none = {.ss_flags = SS_DISABLE}, now;
    if (!own_stack)
        return;
    if (pf_sys(SYS_sigaltstack, NULL, &now) == 0 && now.ss_sp == own_stack &&
        pf_sys(SYS_sigaltstack, &none, NULL))
        return; /* a handler of the target ends the thread there */
    pf_sys(SYS_munmap, own_stack, ALTERNATE_SIZE);
    own_stack = NULL;
}

PF_INTERPOSE(int, sigaltstack, (const stack_t *set, stack_t *old))
{
    PF_CALL(c, sigaltstack);
    stack_t before;
    int r = PF_REAL(sigaltstack)(set, &before);
    pf_call_keep_errno(&c);
    bool ours = own_stack && before.ss_sp == own_stack;
    if (r == 0 && set && own_stack && set->ss_flags & SS_DISABLE)
        install_stack();
    if (r == 0 && old)
        *old = ours ? (stack_t){.ss_flags = SS_DISABLE} : before;
    if (c.t && set)
        pf_runtime_read(c.t, set, sizeof *set, pf_call_id(&c, PF_NATIVE_READ));
    if (c.t && old && r == 0)
        pf_runtime_write(c.t, old, sizeof *old, pf_call_id(&c, PF_NATIVE_WRITE));
    return r;
}

void pf_crash_init(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGXFSZ};
    if (pf_rt.events || pf_rt.plain || report_stack)
        return;
    report_stack = pf_sys_map(NULL, REPORT_STACK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction act, now;
        if (!is_handled(numbers[i]) || PF_REAL(sigaction)(numbers[i], NULL, &now) ||
            now.sa_handler != SIG_DFL)
            continue;
        pf_crash_default_action(numbers[i], &act);
        PF_REAL(sigaction)(numbers[i], &act, NULL);
    }
    pf_crash_thread_begin();
}
