/* replay_signals.c - signals, timers and faults: a replay sees the external signals of the
 * recording. */
// sources: src/rt/direct/syscall/syscall_table.c src/rt/direct/syscall/syscall_writes.c
// sources: src/rt/direct/syscall/input_log.c src/rt/direct/syscall/syscall.c
// sources: src/rt/direct/syscall/target_output.c src/rt/direct/syscall/blocking.c
// sources: src/rt/direct/signal/signal_pending.c src/rt/direct/signal/handler_call.c
// sources: src/rt/direct/signal/signal_kernel.c src/rt/direct/syscall/machine_instructions.c
// sources: src/rt/direct/signal/signal_calls.c src/rt/direct/signal/timer.c
// sources: src/rt/direct/syscall/lock_calls.c src/rt/direct/syscall/transfer_calls.c
// sources: src/rt/direct/syscall/poll_calls.c src/rt/direct/syscall/ipc_calls.c
// sources: src/rt/direct/syscall/memory_calls.c src/rt/direct/syscall/process_calls.c
// sources: src/rt/direct/syscall/inside_waits.c
// sources: src/rt/direct/syscall/poll_waiters.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/gate.S
// sources: src/rt/sys.c src/rt/direct/environment.c src/report/textbuf.c src/report/pool.c
// sources: src/rt/direct/reach/mappings.c src/rt/direct/schedule/shared_state.c
// sources: src/rt/direct/schedule/continuation.c src/rt/direct/syscall/file_overlay.c
// sources: src/rt/direct/syscall/outside_calls.c src/rt/direct/syscall/open_descriptors.c
// sources: src/rt/direct/syscall/served_input.c
// sources: src/rt/direct/syscall/pinned_answers.c
// flags: -D_GNU_SOURCE= -fno-builtin
#include "replay_harness.h"

/* --- signals --- */

static volatile int handled[65], depth;
static void on_signal(int n, siginfo_t *info, void *u)
{
    (void)u;
    handled[n]++;
    depth++;
    saw(&n, sizeof n);
    saw(&info->si_code, sizeof info->si_code);
    if (n == SIGUSR1 && handled[SIGUSR1] == 1) { /* SIGUSR1 is blocked now, SIGUSR2 is delivered */
        long pid = CALL(SYS_getpid);
        CALL(SYS_kill, pid, SIGUSR1);
        WANT(handled[SIGUSR1] == 1);
        CALL(SYS_tgkill, pf_direct.pid, pf_direct.pid, SIGUSR2);
        WANT(handled[SIGUSR2] == 1);
    }
    depth--;
}
static long handle(int n, uint64_t flags, void *handler)
{
    struct pf_signal_action a = {handler, SA_SIGINFO | flags, NULL, 0};
    return CALL(SYS_rt_sigaction, n, &a, NULL, 8);
}
static uint64_t set_of(int n) { return 1ull << (n - 1); }

static void signals(void)
{
    long pid = CALL(SYS_getpid);
    WANT(handle(SIGUSR1, 0, (void *)on_signal) == 0 && handle(SIGUSR2, 0, (void *)on_signal) == 0);
    WANT(handle(SIGKILL, 0, (void *)on_signal) == -EINVAL);
    WANT(CALL(SYS_kill, pid, SIGUSR1) == 0);
    WANT(handled[SIGUSR1] == 2 && handled[SIGUSR2] == 1);
    uint64_t set = set_of(SIGUSR2), old = 99, pending = 0;
    WANT(CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, &old, 8) == 0 && old == 0);
    CALL(SYS_kill, pid, SIGUSR2);
    CALL(SYS_kill, pid, SIGUSR2); /* one of the two is lost, as always */
    WANT(handled[SIGUSR2] == 1);
    WANT(CALL(SYS_rt_sigpending, &pending, 8) == 0 && pending == set);
    siginfo_t info;
    WANT(CALL(SYS_rt_sigtimedwait, &set, &info, NULL, 8) == SIGUSR2 && info.si_code == SI_USER);
    struct timespec t = {0, 1000000};
    WANT(CALL(SYS_rt_sigtimedwait, &set, &info, &t, 8) == -EAGAIN);
    CALL(SYS_kill, pid, SIGUSR2);
    WANT(CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8) == 0 && handled[SIGUSR2] == 2);
    /* real-time signals are counted */
    int rt = 40;
    handle(rt, 0, (void *)on_signal);
    set = set_of(rt);
    CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    for (int i = 0; i < 3; i++)
        CALL(SYS_kill, pid, rt);
    CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    WANT(handled[rt] == 3);
    /* ignored, default */
    struct pf_signal_action a = {(void *)SIG_IGN, 0, NULL, 0};
    CALL(SYS_rt_sigaction, SIGTERM, &a, NULL, 8);
    CALL(SYS_kill, pid, SIGTERM);
    CALL(SYS_kill, pid, SIGCHLD);
    WANT(CALL(SYS_kill, pid, 0) == 0 && CALL(SYS_kill, pid, 65) == -EINVAL);
}

static void timers(void)
{
    handle(SIGALRM, 0, (void *)on_signal);
    CALL(SYS_alarm, 1000);
    WANT(CALL(SYS_alarm, 5) == 1000);
    uint64_t none = 0;
    WANT(CALL(SYS_rt_sigsuspend, &none, 8) == -EINTR && handled[SIGALRM] == 1); /* takes no time */
    struct itimerval every = {{0, 500000}, {1, 0}}, left;
    CALL(SYS_setitimer, ITIMER_REAL, &every, NULL);
    WANT(CALL(SYS_getitimer, ITIMER_REAL, &left) == 0 && left.it_interval.tv_usec == 500000);
    CALL(SYS_pause);
    CALL(SYS_pause);
    WANT(handled[SIGALRM] == 3);
    CALL(SYS_alarm, 0);
    int id = -1;
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    handled[SIGUSR1] = 1;
    handle(SIGUSR1, 0, (void *)on_signal);
    WANT(CALL(SYS_timer_create, CLOCK_MONOTONIC, &e, &id) == 0);
    struct itimerspec once = {{0, 0}, {3, 0}};
    WANT(CALL(SYS_timer_settime, id, 0, &once, NULL) == 0);
    struct pollfd no = {-1, 0, 0};
    WANT(CALL(SYS_poll, &no, 1, 10000) == -EINTR && handled[SIGUSR1] == 2);
    WANT(CALL(SYS_timer_delete, id) == 0 && CALL(SYS_timer_delete, id) == -EINVAL);
}

/* Sent from outside while recording; in a replay nobody sends them. */
static void arrivals(void)
{
    int fd[2];
    char c;
    CALL(SYS_pipe, fd);
    handle(SIGTERM, 0, (void *)on_signal);
    handle(SIGUSR2, SA_RESTART, (void *)on_signal);
    pid_t parent = getpid();
    if (!replaying() && fork() == 0) {
        await_wait(1);
        kill(parent, SIGUSR2); /* the read is restarted */
        await_wait(2);
        ssize_t n = write(fd[1], "x", 1);
        await_wait(3);
        kill(parent, SIGTERM);
        _exit(n != 1);
    }
    WANT(CALL(SYS_read, fd[0], &c, 1) == 1 && handled[SIGUSR2] == 1);
    WANT(CALL(SYS_read, fd[0], &c, 1) == -EINTR && handled[SIGTERM] == 1);
    WANT(CALL(SYS_wait4, -1, NULL, 0, NULL) > 0);
}

static void dies(void)
{
    CALL(SYS_getpid);
    CALL(SYS_kill, pf_direct.pid, SIGTERM);
    _exit(3);
}

static sigjmp_buf out;
static char *alternate;
static void on_fault(int n, siginfo_t *info, void *u)
{
    char here;
    bool on_alternate = &here > alternate && &here < alternate + 65536;
    SAW(n);
    SAW(on_alternate);
    SAW(info->si_addr);
    if (n == SIGSEGV)
        siglongjmp(out, 1);
    ((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 2; /* skips the ud2 */
}
/* Stack overflow is not tested here, because ASan intercepts it. */
static void faults(void)
{
    alternate = (char *)CALL(SYS_mmap, NULL, 65536, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t s = {.ss_sp = alternate, .ss_size = 65536};
    WANT(CALL(SYS_sigaltstack, &s, NULL) == 0);
    handle(SIGSEGV, SA_ONSTACK, (void *)on_fault);
    handle(SIGILL, 0, (void *)on_fault);
    for (int i = 0; i < 3; i++) {
        if (sigsetjmp(out, 0) == 0)
            *(volatile int *)0x1230 = 1; /* NOLINT */
        uint64_t none = 0;
        CALL(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
    }
    __asm__ volatile("ud2");
    uint32_t lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    SAW(lo);
    SAW(hi);
    WANT(lo == (uint32_t)(virtual_now * 2));
    uint32_t a = 1, b = 0, c = 0, d = 0;
    bool can_hide = syscall(SYS_arch_prctl, 0x1011) == 0; /* ARCH_GET_CPUID: cpuid faults */
    __asm__ volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
    SAW(a);
    SAW(d);
    WANT(d & 1 << 25); /* SSE, which every x86-64 processor has */
    WANT(!can_hide || (!(c & 1 << 30) && b >> 24 == 0)); /* rdrand and the core number are hidden */
}

static void crashes(void)
{
    CALL(SYS_getpid);
    prctl(PR_SET_DUMPABLE, 0);
    *(volatile int *)0x1230 = 1;
}

static const struct test_case cases[] = {
    {.name = "signals", .body = signals},   {.name = "timers", .body = timers},
    {.name = "arrivals", .body = arrivals}, {.name = "dies", .body = dies, .status = SIGTERM},
    {.name = "faults", .body = faults},     {.name = "crashes", .body = crashes, .status = SIGSEGV},
};

/* A blocked signal can be read from a signalfd. */
static void by_descriptor(void)
{
    uint64_t set = set_of(SIGUSR1);
    struct signalfd_siginfo info = {0};
    long pid = CALL(SYS_getpid);
    CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    int fd = (int)CALL(SYS_signalfd4, -1, &set, 8, 0);
    CALL(SYS_kill, pid, SIGUSR1);
    WANT(CALL(SYS_read, fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
    SAW(info);
}
static const struct test_case descriptor = {.name = "signalfd", .body = by_descriptor};

int main(void)
{
    const struct CMUnitTest more = {"signalfd", run_case, NULL, NULL,
                                    (void *)(uintptr_t)&descriptor};
    return run_cases(cases, sizeof cases / sizeof *cases, &more);
}
