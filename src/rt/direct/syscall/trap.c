/*
 * trap.c - receives every system call of the process, except those of the runtime's own gate
 * (gate.S).
 *
 * With syscall user dispatch, the kernel sends SIGSYS instead of performing the call, and the
 * handler stores the result in the saved rax. The handler runs on the stack of the thread and
 * blocks no signals, so the scheduler may switch to another context inside it. If the kernel does
 * not support syscall user dispatch, a seccomp filter does the same. But a filter can never be
 * removed, so programs that the target executes cannot run.
 */
#define _GNU_SOURCE
#include "environment.h"
#include "invariant.h"
#include "memory_model.h"
#include "scheduler.h"
#include "signals.h"
#include "sys.h"
#include <asm/prctl.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

extern char pf_gate_begin[], pf_gate_end[], pf_gate_return[];

static long yield(void)
{
    pf_sched_yield();
    return 0;
}

static long set_robust(struct pf_context *c, long head, long size)
{
    c->robust = (uint64_t)head;
    c->robust_size = (uint64_t)size;
    return 0;
}

static long get_robust(long tid, long head, long size)
{
    struct pf_context *c = tid ? pf_context_find(tid) : pf_context_self();
    if (!c)
        return -ESRCH;
    *(uint64_t *)head = c->robust;
    *(uint64_t *)size = c->robust_size;
    return 0;
}

static long set_thread_pointer(struct pf_context *c, const long a[6])
{
    long r = pf_sys(SYS_arch_prctl, a[0], a[1]);
    if (r == 0 && a[0] == ARCH_SET_FS)
        c->fs = (uint64_t)a[1];
    return r;
}

static long thread_ends(struct pf_context *c, long status)
{
    bool last = true;
    for (uint32_t i = 0; i < pf_contexts() && last; i++)
        last = pf_context_at(i) == c || pf_context_at(i)->state == PF_CONTEXT_ENDED;
    if (last) {
        const long a[6] = {status};
        pf_invariant_test();
        pf_direct_end();
        return pf_syscall_run(SYS_exit_group, a);
    }
    pf_context_end(c);
    pf_sched_exit();
}

/* Handles the system calls that concern contexts and time; pf_syscall_run handles all others. */
static long call(struct pf_context *c, long number, const long a[6])
{
    long r;
    pf_invariant_before_call(number);
    switch (number) {
    case SYS_futex:
        return pf_futex(a);
    case SYS_sched_yield:
        return yield();
    case SYS_gettid:
        return c->tid;
    case SYS_getpid: /* a continuation is a copy with another pid in the kernel */
        return pf_direct.pid;
    case SYS_set_tid_address:
        c->clear_tid = (int32_t *)a[0];
        return c->tid;
    case SYS_set_robust_list:
        return set_robust(c, a[0], a[1]);
    case SYS_get_robust_list:
        return get_robust(a[0], a[1], a[2]);
    case SYS_arch_prctl:
        return set_thread_pointer(c, a);
    case SYS_rseq:
        return -ENOSYS;
    case SYS_exit:
        return thread_ends(c, a[0]);
    case SYS_exit_group:
        pf_sched_before_process_end();
        pf_invariant_test();
        pf_direct_end();
        return pf_syscall_run(number, a);
    case SYS_clone:
    case SYS_clone3:
        if (pf_context_is_thread(number, a))
            return pf_context_clone(number, a);
        return pf_syscall_run(number, a);
    default:
        return pf_virtual_call(number, a, &r) ? r : pf_syscall_run(number, a);
    }
}

static bool by_filter; /* true: the seccomp filter is active, also for all future kernel threads */
bool pf_trap_stays(void) { return by_filter; }

/* A system call in a child that runs undirected while the filter is active: performs it. Calls that
 * share memory with a new process are refused: parent and child would both have to return through
 * the same signal frame. */
static long let_through(long number, const long a[6])
{
    bool shares = number == SYS_vfork || (number == SYS_clone && a[0] & CLONE_VM);
    if (number == SYS_vfork)
        return pf_sys(SYS_clone, SIGCHLD);
    if (number == SYS_clone3 || shares)
        return -ENOSYS;
    return pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void on_trap(int signal, siginfo_t *info, void *at)
{
    (void)signal;
    ucontext_t *u = at;
    greg_t *g = u->uc_mcontext.gregs;
    long number = info->si_syscall;
    const long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
    if (number == SYS_rt_sigreturn) { /* of a frame that the kernel made: let the kernel return */
        g[REG_RIP] = (greg_t)pf_gate_return;
        return;
    }
    if (!pf_directed()) {
        g[REG_RAX] = let_through(number, a);
        return;
    }
    pf_environment_arguments(a);
    struct pf_context *c = pf_context_self();
    ucontext_t *outer = c->trap;
    c->trap = u;
    pf_sched_count_call();
    pf_sched_hash((uint64_t)number);
    if (pf_memory_model_active())
        pf_memory_model_enter();
    /* not guarded: the vDSO would read these clocks, and there a bad pointer faults */
    bool reads_clock =
        number == SYS_clock_gettime || number == SYS_gettimeofday || number == SYS_time;
    g[REG_RAX] = reads_clock ? call(c, number, a) : pf_trap_guarded(call, c, number, a);
    if (c->signal_due && !__pf_tls.nested)
        pf_signal_run_due();
    c->trap = outer;
}

static bool filter(void)
{
    uint64_t begin = (uint64_t)pf_gate_begin, end = (uint64_t)pf_gate_end;
#define AT(field) (uint32_t)__builtin_offsetof(struct seccomp_data, field)
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(begin >> 32), 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)begin, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)end, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    if (begin >> 32 != end >> 32)
        return false;
    pf_sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
    return pf_sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

void pf_trap_arm(void)
{
    struct pf_signal_action act = {(void *)on_trap, SA_SIGINFO | SA_NODEFER | PF_RESTORER,
                                   pf_gate_return, 0};
    uint64_t set = 1ull << (SIGSYS - 1);
    if (by_filter)
        return;
    pf_sys(SYS_rt_sigaction, SIGSYS, &act, NULL, sizeof set);
    pf_sys(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof set);
    if (pf_sys(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, pf_gate_begin,
               pf_gate_end - pf_gate_begin, NULL) == 0)
        return;
    by_filter = filter();
    if (!by_filter)
        pf_direct_refuse("the kernel supports neither syscall user dispatch nor seccomp filters");
}

void pf_trap_disarm(void)
{
    if (!by_filter)
        pf_sys(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, NULL);
}
