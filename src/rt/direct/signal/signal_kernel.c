/*
 * signal_kernel.c - the handlers that the runtime installs in the kernel.
 *
 * Signals from outside: while recording they are put into a ring. In a replay the kernel's own
 * actions stay in place, so that a replay can be interrupted like any program.
 *
 * Faults of the target: handled in both modes. The handler runs on a stack of its own, because the
 * fault may be a stack overflow. A handler of the target may switch contexts, run for long or leave
 * by longjmp, so it must not run there: the frame is copied to the stack that the target wants, and
 * this handler returns into that copy.
 */
#define _GNU_SOURCE
#include "environment.h"
#include "forked_child.h"
#include "machine_instructions.h"
#include "materialise.h"
#include "orphan.h"
#include "reporter.h"
#include "scheduler.h"
#include "signals.h"
#include "spin_yield.h"
#include "sys.h"
#include <sys/mman.h>

extern char pf_gate_return[];

/* --- signals from outside --- */

#define RING 256u /* signals that have arrived and were not taken yet */
static siginfo_t ring[RING];
static volatile uint32_t ring_in, ring_out;
static bool in_kernel[PF_SIGNAL_MAX + 1]; /* our handler is installed */

/* True if the signal is a request to end the target. */
static bool is_fatal(int n)
{
    return pf_signal_actions[n].handler == (void *)SIG_DFL &&
           (n == SIGTERM || n == SIGINT || n == SIGQUIT || n == SIGHUP);
}

bool pf_kernel_has_fatal_signal(void)
{
    for (uint32_t i = ring_out; i != ring_in; i++)
        if (is_fatal(ring[i % RING].si_signo))
            return true;
    return false;
}

/* Signals reserved by libc. It installs handlers for them with the first thread, and only threads
 * send them. */
#define LIBC_CANCEL 32
#define LIBC_SETXID 33

bool pf_signal_none_handled(void)
{
    for (int n = 1; n <= PF_SIGNAL_MAX; n++)
        if (n != LIBC_CANCEL && n != LIBC_SETXID &&
            pf_signal_actions[n].handler != (void *)SIG_DFL &&
            pf_signal_actions[n].handler != (void *)SIG_IGN)
            return false;
    return true;
}

static void on_arrival(int n, siginfo_t *info, void *u)
{
    if (pf_spin_yield_tick(info, u) || pf_orphan_handle_signal(info))
        return;
    if (n == SIGPIPE && info->si_code == SI_USER && info->si_pid == pf_direct.pid)
        return; /* caused by a write for the target, which raises it itself (transfer_calls.c) */
    for (uint32_t i = ring_out; i != ring_in; i++)
        if (ring[i % RING].si_signo == n && is_fatal(n))
            pf_kernel_die(n); /* requested twice: the target is stuck somewhere */
    if (ring_in - ring_out == RING)
        return; /* the kernel also drops signals if there are too many */
    ring[ring_in % RING] = *info;
    ring_in++;
    pf_sched_preempt_soon();
}

/* In a replay only the tick is handled. */
static void on_tick(int n, siginfo_t *info, void *u)
{
    (void)n;
    pf_spin_yield_tick(info, u);
}

uint64_t pf_kernel_mask, pf_signalfd_mask;

static void set_mask(uint64_t mask) { pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8); }

void pf_kernel_park(const siginfo_t *info)
{
    if (!pf_recording())
        return; /* data read from a signalfd is in the log */
    long pid = pf_sys(SYS_getpid);
    set_mask(pf_kernel_mask |= pf_signal_bit(info->si_signo));
    pf_sys(SYS_rt_sigqueueinfo, pid, info->si_signo, info);
}

void pf_kernel_unpark(uint64_t set)
{
    if (pf_kernel_mask & set)
        set_mask(pf_kernel_mask &= ~set);
}

bool pf_signal_arrived(void) { return ring_in != ring_out || pf_orphaned(); }

bool pf_kernel_take_arrival(siginfo_t *info)
{
    if (ring_in == ring_out)
        return false;
    *info = ring[ring_out % RING];
    ring_out++;
    return true;
}

void pf_kernel_drop_arrivals(void) { ring_out = ring_in; }

static bool is_fault(int n)
{
    return n == SIGSEGV || n == SIGBUS || n == SIGFPE || n == SIGILL || n == SIGTRAP;
}

static void install(int n, void *handler, uint64_t flags)
{
    struct pf_signal_action a = {handler, flags | PF_RESTORER, pf_gate_return, ~0ull};
    pf_sys(SYS_rt_sigaction, n, &a, NULL, 8);
}

void pf_kernel_set_action(int n)
{
    void *h = pf_signal_actions[n].handler;
    if (!pf_recording() || n == SIGSYS || n == SIGKILL || n == SIGSTOP || is_fault(n))
        return;
    bool stops = n == SIGTSTP || n == SIGTTIN || n == SIGTTOU || n == SIGCONT;
    if ((h == (void *)SIG_IGN && n != PF_ORPHAN_SIGNAL) || (h == (void *)SIG_DFL && stops)) {
        install(n, h, 0);
        in_kernel[n] = false;
        return;
    }
    uint64_t flags = n == SIGCHLD ? pf_signal_actions[n].flags & (SA_NOCLDSTOP | SA_NOCLDWAIT) : 0;
    install(n, (void *)on_arrival, SA_SIGINFO | SA_RESTART | flags);
    in_kernel[n] = true;
}

/* True if the running thread caused the signal by an error. Others, such as SIGTERM, come from
 * outside. */
static bool is_failure(int n)
{
    return is_fault(n) || n == SIGABRT || n == SIGPIPE || n == SIGXFSZ;
}

/* Why the failure does not count; NULL: it counts. An exploration lets time limits pass at any
 * moment. A program that then gives up on purpose is not wrong; one that crashes is. */
static const char *why_suspicious(int n)
{
    return n == SIGABRT && pf_direct.limit_passed_early
               ? "the time limit of a wait passes before another thread continues"
               : NULL;
}

/* Reports as a finding that the running thread dies of signal n. */
static void report_failure(int n)
{
    const struct pf_context *c = pf_running;
    struct pf_thread *t = c ? c->tls->thread : NULL;
    /* of an explored run, the replay of its clip reports it */
    if (!t || !t->context.frames || !is_failure(n) || pf_direct.exploring)
        return;
    struct pf_failure e = {.kind = n == SIGABRT && pf_failed_assertion ? PF_FAILURE_ASSERTION
                                                                       : PF_FAILURE_CRASH,
                           .signal = n,
                           .assertion = pf_failed_assertion,
                           .suspicious = why_suspicious(n),
                           .early_limit = pf_direct.limit_passed_early && n != SIGABRT,
                           .n = 1};
    bool newest = is_fault(n) && c->event_frame == c->tls->frame;
    e.at[0] = (struct pf_failed_thread){.t = t, .site = newest ? c->event_site : 0};
    pf_nest();
    pf_failure_found(&e, !pf_direct.tracing);
    pf_unnest();
}

_Noreturn void pf_kernel_die(int n)
{
    report_failure(n);
    pf_input_end();
    pf_direct_end();
    pf_forked_child_ends(n);
    if (pf_rewind_on)
        pf_rewind_die(n);
    pf_kernel_die_now(n);
}

_Noreturn void pf_kernel_die_now(int n)
{
    struct pf_signal_action standard = {0};
    pf_sys(SYS_rt_sigaction, n, &standard, NULL, 8);
    set_mask(0);
    long pid = pf_sys(SYS_getpid), tid = pf_sys(SYS_gettid);
    pf_sys(SYS_tgkill, pid, tid, n);
    for (;;) /* the signal did not end the process */
        pf_sys(SYS_exit_group, 128 + n);
}

/* --- faults --- */

#define OWN_STACK (64u << 10) /* bytes */
#define KERNEL_UCONTEXT 304 /* size of the kernel's struct ucontext, which is smaller than libc's */
/* In the saved vector registers (FXSAVE area): if the word at 464 is this one, the area is longer
 * than 512 bytes, and its size follows (struct _fpx_sw_bytes of the kernel). */
#define EXTENDED_MAGIC 0x46505853u
#define EXTENDED_AT 464
#define FXSAVE_BYTES 512

/* The part of the signal frame, from the ucontext on, that rt_sigreturn needs. */
struct fault_frame {
    char ucontext[KERNEL_UCONTEXT];
    siginfo_t info;
};

static size_t vector_bytes(const void *state)
{
    uint32_t magic, size;
    if (!state)
        return 0;
    __builtin_memcpy(&magic, (const char *)state + EXTENDED_AT, 4);
    __builtin_memcpy(&size, (const char *)state + EXTENDED_AT + 4, 4);
    return magic == EXTENDED_MAGIC ? size : FXSAVE_BYTES;
}

/* Runs on the stack that the target wants: calls its handler, then returns to the place of the
 * fault. Its return address is pf_gate_return, as if the kernel had called the handler; unwinders
 * rely on that. */
static void run_fault_handler(struct fault_frame *c)
{
    ucontext_t *u = (ucontext_t *)(void *)c->ucontext;
    int n = c->info.si_signo;
    struct pf_signal_action act = pf_signal_actions[n];
    if (act.flags & SA_RESETHAND)
        pf_signal_actions[n].handler = (void *)SIG_DFL;
    act.flags &= ~(uint64_t)SA_ONSTACK; /* already on that stack */
    pf_wait_loop_forget(&pf_context_self()->wait_loop);
    uint64_t outer = pf_context_self()->fault_frame;
    pf_context_self()->fault_frame = (uint64_t)c;
    uint64_t kernel;
    __builtin_memcpy(&kernel, &u->uc_sigmask, sizeof kernel);
    pf_handler_run(&act, &c->info, u);
    pf_context_self()->fault_frame = outer;
    __builtin_memcpy(&u->uc_sigmask, &kernel, sizeof kernel);
}

/* Tests without faulting: makes the kernel write a word into each page. */
static bool is_writable(uint64_t from, uint64_t to)
{
    for (uint64_t at = from & -8ull; at < to; at = pf_page_down(at) + PF_PAGE)
        if (pf_sys(SYS_rt_sigpending, at, 8) != 0)
            return false;
    return true;
}

/* A fault is first offered to the parts of the runtime that cause faults on purpose. Otherwise the
 * frame moves to the stack of the target's handler; without a handler the process ends. */
static void on_fault(int n, siginfo_t *info, void *at)
{
    ucontext_t *u = at;
    greg_t *g = u->uc_mcontext.gregs;
    if (info->si_code <= 0) { /* sent by kill, not a fault */
        if (pf_recording())
            on_arrival(n, info, u);
        return;
    }
    if (n == SIGSEGV && info->si_code == SI_KERNEL && pf_machine_emulate(u))
        return;
    if (n == SIGTRAP && pf_spin_yield_trap(u))
        return;
    if (n == SIGSEGV && pf_environment_fault((uint64_t)info->si_addr))
        return;
    void **recover = pf_context_self()->recover;
    if (recover && (n == SIGSEGV || n == SIGBUS)) { /* bad_pointer.c */
        pf_context_self()->recover = NULL;
        g[REG_RBP] = (greg_t)recover[0];
        g[REG_RIP] = (greg_t)recover[1];
        g[REG_RSP] = (greg_t)recover[2];
        return;
    }
    const struct pf_signal_action *act = &pf_signal_actions[n];
    if (n == SIGTRAP && pf_materialised && act->handler == (void *)SIG_DFL)
        return; /* a trap of gdb itself, which passes on these too (gdb.py) */
    bool blocked = pf_syscall_state_self()->mask & pf_signal_bit(n);
    uint64_t sp = pf_handler_stack(act, (uint64_t)g[REG_RSP]);
    size_t vectors = vector_bytes(u->uc_mcontext.fpregs);
    uint64_t top = sp ? sp : (uint64_t)g[REG_RSP] - PF_STACK_RED_ZONE;
    uint64_t state = (top - vectors) & -64ull;
    struct fault_frame *c = (struct fault_frame *)((state - sizeof(struct fault_frame)) & -64ull);
    if (act->handler == (void *)SIG_DFL || act->handler == (void *)SIG_IGN || blocked ||
        !is_writable((uint64_t)c - 256, top)) {
        report_failure(n);
        pf_sched_faulted();
        pf_direct_end();
        pf_forked_child_ends(n);
        struct pf_signal_action standard = {0};
        pf_sys(SYS_rt_sigaction, n, &standard, NULL, 8);
        return; /* the fault happens again and ends the process */
    }
    pf_copy(c->ucontext, u, KERNEL_UCONTEXT);
    c->info = *info;
    if (vectors) {
        pf_copy((void *)state, u->uc_mcontext.fpregs, vectors);
        ((ucontext_t *)(void *)c->ucontext)->uc_mcontext.fpregs = (void *)state;
    }
    g[REG_RIP] = (greg_t)run_fault_handler;
    g[REG_RSP] = (greg_t)((uint64_t)c - 8); /* as after a call instruction */
    ((uint64_t *)(void *)c)[-1] = (uint64_t)pf_gate_return;
    g[REG_RDI] = (greg_t)c;
    g[REG_EFL] &= ~0x400; /* direction flag */
}

/* --- initialisation and child processes --- */

void pf_kernel_thread_init(void)
{
    stack_t own = {.ss_size = OWN_STACK, .ss_sp = pf_sys_map(NULL, OWN_STACK)};
    if (own.ss_sp)
        pf_sys(SYS_sigaltstack, &own, NULL);
}

void pf_kernel_signals_init(uint64_t ignored)
{
    pf_kernel_thread_init();
    for (int n = 1; n <= PF_SIGNAL_MAX; n++) {
        if (is_fault(n))
            install(n, (void *)on_fault, SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
        else if (!(ignored & pf_signal_bit(n)))
            pf_kernel_set_action(n);
    }
    if (pf_recording())
        set_mask(0);
    else
        install(PF_ORPHAN_SIGNAL, (void *)on_tick, SA_SIGINFO | SA_RESTART);
    pf_machine_trap(true);
    pf_spin_yield_arm();
}

void pf_signal_mask_to_kernel(bool back)
{
    pf_machine_trap(back);
    set_mask(back ? pf_kernel_mask : pf_syscall_state_self()->mask);
}

void pf_signal_child(void)
{
    for (int n = 1; n <= PF_SIGNAL_MAX; n++)
        if (in_kernel[n] || is_fault(n) || (n == SIGSYS && !pf_trap_stays()))
            pf_sys(SYS_rt_sigaction, n, &pf_signal_actions[n], NULL, 8);
    stack_t *alternate = &pf_syscall_state_self()->alternate;
    stack_t off = {.ss_flags = SS_DISABLE};
    pf_sys(SYS_sigaltstack, alternate->ss_size ? alternate : &off, NULL);
    pf_signal_mask_to_kernel(false);
}
