/*
 * signal_calls.c - the system calls about signals, answered from the state of signals.h.
 */
#define _GNU_SOURCE
#include "scheduler.h"
#include "signals.h"
#include <errno.h>

static bool is_signal(long n) { return n >= 1 && n <= PF_SIGNAL_MAX; }

long pf_call_sigaction(long number, const long a[6])
{
    (void)number;
    int n = (int)a[0];
    const struct pf_signal_action *act = (const struct pf_signal_action *)a[1];
    struct pf_signal_action *old = (struct pf_signal_action *)a[2], before;
    if (!is_signal(n) || a[3] != 8 || (act && (n == SIGKILL || n == SIGSTOP)))
        return -EINVAL;
    before = pf_signal_actions[n];
    if (act) {
        pf_signal_actions[n] = *act;
        pf_signal_actions[n].mask &= ~(pf_signal_bit(SIGKILL) | pf_signal_bit(SIGSTOP));
        pf_kernel_set_action(n);
    }
    if (old)
        *old = before;
    return 0;
}

long pf_call_sigprocmask(long number, const long a[6])
{
    (void)number;
    struct pf_syscall_state *w = pf_syscall_state_self();
    uint64_t before = w->mask, set;
    if (a[3] != 8)
        return -EINVAL;
    if (a[1]) {
        set = *(const uint64_t *)a[1];
        switch (a[0]) {
        case SIG_BLOCK:
            set |= before;
            break;
        case SIG_UNBLOCK:
            set = before & ~set;
            break;
        case SIG_SETMASK:
            break;
        default:
            return -EINVAL;
        }
        pf_signal_mask(w, set);
    }
    if (a[2])
        *(uint64_t *)a[2] = before;
    return 0;
}

long pf_call_sigpending(long number, const long a[6])
{
    (void)number;
    const struct pf_syscall_state *w = pf_syscall_state_self();
    if ((uint64_t)a[1] > 8)
        return -EINVAL;
    uint64_t set = pf_signals_pending(w) & w->mask;
    pf_copy((void *)a[0], &set, (size_t)a[1]);
    return 0;
}

long pf_call_sigaltstack(long number, const long a[6])
{
    (void)number;
    struct pf_syscall_state *w = pf_syscall_state_self();
    const stack_t *now = (const stack_t *)a[0];
    stack_t *old = (stack_t *)a[1], before = w->alternate;
    const ucontext_t *trap = pf_context_self()->trap;
    uint64_t sp = trap ? (uint64_t)trap->uc_mcontext.gregs[REG_RSP] : 0;
    bool on = before.ss_size && sp - (uint64_t)before.ss_sp < before.ss_size;
    if (now) {
        if (on)
            return -EPERM;
        if (!(now->ss_flags & SS_DISABLE) && now->ss_size < 2048)
            return -ENOMEM;
        w->alternate = now->ss_flags & SS_DISABLE ? (stack_t){0} : *now;
    }
    if (old) {
        *old = before;
        old->ss_flags = !before.ss_size ? SS_DISABLE : on ? SS_ONSTACK : 0;
    }
    return 0;
}

/* pause and rt_sigsuspend: wait until a handler has run. */
long pf_call_sigsuspend(long number, const long a[6])
{
    struct pf_syscall_state *w = pf_syscall_state_self();
    uint64_t before = w->mask;
    struct pf_wait how = {.kind = PF_WAIT_SIGNAL};
    if (number == SYS_rt_sigsuspend)
        pf_signal_mask(w, *(const uint64_t *)a[0]);
    while (pf_signal_run_handlers() == PF_HANDLED_NONE)
        pf_sched_wait(&how);
    pf_signal_mask(w, before);
    return -EINTR;
}

long pf_call_sigtimedwait(long number, const long a[6])
{
    (void)number;
    struct pf_syscall_state *w = pf_syscall_state_self();
    uint64_t set = *(const uint64_t *)a[0];
    const struct timespec *limit = (const struct timespec *)a[2];
    struct pf_wait how = {.kind = PF_WAIT_SIGNAL};
    siginfo_t info;
    if (limit)
        how.deadline = pf_deadline_after(limit->tv_sec, limit->tv_nsec);
    long r = 0;
    w->wanted = set;
    pf_kernel_unpark(set);
    while (!pf_signal_take(set, &info)) {
        if (pf_signal_run_handlers() != PF_HANDLED_NONE)
            r = -EINTR;
        else if (limit && (pf_sched_now() >= how.deadline || !(limit->tv_sec | limit->tv_nsec)))
            r = -EAGAIN;
        if (r)
            break;
        pf_sched_wait(&how);
    }
    w->wanted = 0;
    if (r)
        return r;
    if (a[1])
        pf_copy((void *)a[1], &info, sizeof info);
    return info.si_signo;
}

long pf_call_signalfd(long number, const long a[6])
{
    if (a[1])
        pf_signalfd_mask |= *(const uint64_t *)a[1];
    return pf_syscall_plain(number, a);
}

/* --- sending signals --- */

static long send_to_self(const siginfo_t *info, struct pf_context *to)
{
    if (!info->si_signo)
        return 0; /* signal 0 only tests for existence */
    if (info->si_signo == SIGKILL)
        pf_kernel_die(SIGKILL);
    if (info->si_signo == SIGSTOP) { /* a replay does not stop */
        long pid = pf_sys(SYS_getpid);
        if (pf_recording())
            pf_sys(SYS_kill, pid, SIGSTOP);
        return 0;
    }
    pf_signal_send(info, to);
    return 0;
}

long pf_call_kill(long number, const long a[6])
{
    bool of_thread = number == SYS_tgkill || number == SYS_rt_tgsigqueueinfo;
    bool given = number == SYS_rt_sigqueueinfo || number == SYS_rt_tgsigqueueinfo;
    long signal = a[of_thread ? 2 : 1];
    struct pf_context *to = NULL;
    if (number == SYS_tkill) {
        to = pf_context_find(a[0]);
        if (!to)
            return pf_syscall_plain(number, a);
    } else if (a[0] != pf_direct.pid) {
        return pf_syscall_plain(number, a);
    }
    if (signal && !is_signal(signal))
        return -EINVAL;
    if (of_thread && (!(to = pf_context_find(a[1])) || to->state == PF_CONTEXT_ENDED))
        return -ESRCH;
    siginfo_t info = {0};
    if (given)
        pf_copy(&info, (const void *)a[of_thread ? 3 : 2], sizeof info);
    else
        info.si_code = to ? SI_TKILL : SI_USER;
    info.si_signo = (int)signal;
    if (!given) {
        info.si_pid = (pid_t)pf_direct.pid;
        info.si_uid = pf_signal_uid;
    }
    return send_to_self(&info, to);
}
