/*
 * process_calls.c - child processes, exec and exit; thread names (prctl), CPU affinity, limits of
 * memory (setrlimit); and other calls that refer to single threads.
 *
 * A child is not part of its parent's recording. A replay does not run it: its pid, its exit status
 * and everything it wrote to pipes come from the log. A forked child has a recording of its own
 * (forked_child.h).
 */
#define _GNU_SOURCE
#include "child_log.h"
#include "environment.h"
#include "forked_child.h"
#include "signals.h"
#include "stream_ring.h"
#include "syscalls.h"
#include "textbuf.h"
#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* fork and vfork, and clone and clone3 without CLONE_THREAD. */
long pf_call_fork(long number, const long a[6])
{
    bool copies = pf_context_fork_copies(number, a);
    __atomic_fetch_add(&pf_channel_get()->children, 1, __ATOMIC_RELAXED);
    if (!pf_recording()) {
        const struct pf_input *in = pf_input_get(PF_INPUT_CALL, number);
        if (copies && in->result == 0)
            pf_fork_replay_child(in, number, a);
        else if (in->result > 0)
            pf_context_set_parent_tid(number, a, (int32_t)in->result);
        return (long)in->result;
    }
    if (pf_memory_any_shared())
        pf_input_doubt("memory shared with a child process");
    pf_ring_flush(); /* else the child would have a copy of the buffered bytes */
    struct pf_fork f = copies ? pf_fork_prepare() : (struct pf_fork){0};
    /* done here, because a child that shares our memory does not run our code */
    pf_signal_mask_to_kernel(false);
    long r = pf_context_fork(number, a);
    if (r == 0) {
        if (!pf_fork_in_child(&f, number, a)) {
            pf_direct_child();
            pf_signal_child();
        }
        return 0;
    }
    pf_fork_in_parent(&f, r);
    pf_signal_mask_to_kernel(true);
    pf_input_put(PF_INPUT_CALL, number, r, NULL, 0);
    return r;
}

/* Tells pf that this process executes another program, or that this has failed. */
static void set_executes(bool other)
{
    if (pf_forked_self)
        pf_forked_child_executes(other);
    else
        pf_channel_get()->executed = other;
}

/* The recording ends when exec succeeds (see pf_direct_replay_ended). When exec fails, the
 * recording continues. */
long pf_call_exec(long number, const long a[6])
{
    const char *path = (const char *)a[number == SYS_execve ? 0 : 1];
    (void)*(const volatile char *)path; /* faults here, if at all: before anything else happens */
    size_t length = pf_str_len(path);
    pf_sched_close_segment();
    if (pf_recording()) {
        pf_environment_pass();
        pf_input_put(PF_INPUT_EXEC, number, 0, path, length + 1);
        pf_ring_flush();
        set_executes(true);
        pf_signal_mask_to_kernel(false);
        long r = pf_perform(number, a);
        pf_signal_mask_to_kernel(true);
        set_executes(false);
        pf_input_put(PF_INPUT_CALL, number, r, NULL, 0);
        return r;
    }
    pf_input_get(PF_INPUT_EXEC, number);
    return (long)pf_input_get(PF_INPUT_CALL, number)->result;
}

long pf_call_exit(long number, const long a[6])
{
    (void)number;
    pf_input_end();
    pf_forked_child_ends((int)(a[0] & 255) << 8);
    for (;;)
        pf_sys(SYS_exit_group, a[0]);
}

/* A wait returned this status of a child. */
static void note_ended(long pid, int status)
{
    if (WIFEXITED(status) || WIFSIGNALED(status))
        pf_forked_child_reaped(pid, status);
}

/* The status as from wait(2). */
static int status_of(const siginfo_t *info)
{
    switch (info->si_code) {
    case CLD_EXITED:
        return (info->si_status & 255) << 8;
    case CLD_KILLED:
        return info->si_status;
    case CLD_DUMPED:
        return info->si_status | WCOREFLAG;
    default:
        return 0x7f | info->si_status << 8; /* stopped or continued */
    }
}

static bool try_wait(struct pf_blocking *b)
{
    long c[6];
    pf_copy(c, b->argument, sizeof c);
    bool waits = !(c[b->number == SYS_wait4 ? 2 : 3] & WNOHANG);
    c[b->number == SYS_wait4 ? 2 : 3] |= WNOHANG;
    siginfo_t own = {0}, *info = (siginfo_t *)c[2];
    int status = 0;
    if (b->number == SYS_waitid) {
        c[2] = (long)&own;
        b->result = pf_perform(b->number, c);
        if (b->result == 0 && !own.si_pid && waits)
            return false;
        if (b->result == 0 && info)
            *info = own;
        if (b->result == 0 && own.si_pid)
            note_ended(own.si_pid, status_of(&own));
        return true;
    }
    if (!c[1])
        c[1] = (long)&status;
    b->result = pf_perform(b->number, c);
    if (b->result > 0)
        note_ended(b->result, *(const int *)c[1]);
    return b->result != 0 || !waits;
}

long pf_call_wait(long number, const long a[6])
{
    struct pf_blocking b = {
        .number = number, .argument = a, .try_now = try_wait, .kind = PF_WAIT_CHILD};
    return pf_blocking_run(&b);
}

long pf_call_prctl(long number, const long a[6])
{
    switch (a[0]) {
    case PR_SET_NAME: /* the kernel does not know contexts; the name is kept here for glibc */
    {
        char *name = pf_syscall_state_self()->name;
        for (int i = 0; i < 15; i++)
            name[i] = i && !name[i - 1] ? 0 : ((const char *)a[1])[i];
        return 0;
    }
    case PR_GET_NAME:
        if (!pf_syscall_state_self()->name[0])
            return pf_syscall_plain(number, a);
        pf_copy((void *)a[1], pf_syscall_state_self()->name, 16);
        return 0;
    case PR_SET_TSC:
    case PR_SET_SECCOMP:
    case PR_SET_SYSCALL_USER_DISPATCH: /* the runtime itself uses all three */
        return -EINVAL;
    case PR_SET_PTRACER:
    case PR_SET_DUMPABLE:
        return 0; /* a debugger must be able to attach to the replay */
    default:
        return pf_syscall_plain(number, a);
    }
}

/* --- the target is restricted to one core --- */

#define MASK_BYTES 1024 /* of a CPU mask */
/* the affinity before the target was restricted to one core */
static unsigned char affinity[MASK_BYTES];
static long affinity_bytes;

void pf_affinity_init(void)
{
    if (!pf_recording())
        return;
    const struct pf_channel *channel = pf_channel_get();
    affinity_bytes = pf_sys(SYS_sched_getaffinity, 0, MASK_BYTES, affinity);
    if (channel && channel->affinity_bytes && channel->affinity_bytes <= MASK_BYTES) {
        affinity_bytes = channel->affinity_bytes;
        pf_copy(affinity, channel->affinity, channel->affinity_bytes);
    }
}

long pf_call_affinity(long number, const long a[6])
{
    if (!pf_recording())
        return pf_syscall_writes_replay(number, a, pf_input_get(PF_INPUT_CALL, number));
    struct pf_lengths_before before = {0};
    long r = 0;
    if (a[0] && a[0] != pf_direct.pid && !pf_context_find(a[0])) {
        r = pf_perform(number, a);
    } else if (number == SYS_sched_getaffinity) {
        r = a[1] < affinity_bytes ? -EINVAL : affinity_bytes;
        if (r > 0)
            pf_copy((void *)a[2], affinity, (size_t)r);
    } else {
        uint32_t n = (uint32_t)a[1]; /* as in the kernel */
        pf_zero(affinity, sizeof affinity); /* the target later reads back what it set */
        pf_copy(affinity, (const void *)a[2], n < MASK_BYTES ? n : MASK_BYTES);
    }
    pf_syscall_writes_log(number, a, &before, r);
    return r;
}

/* --- limits of memory --- */

/* The runtime's own memory would count: shadow, streams, red zones. So limits of the address space
 * and of data are only stored, for the target to read back. */
static struct rlimit64 memory_limits[2];
static bool memory_limit_set[2];

/* The entry for a limit that is stored; -1: the kernel keeps it. */
static int stored_limit(long what) { return what == RLIMIT_AS ? 0 : what == RLIMIT_DATA ? 1 : -1; }

static long keep_limit(int at, const struct rlimit64 *to, struct rlimit64 *old, long what)
{
    if (!memory_limit_set[at])
        pf_sys(SYS_prlimit64, 0, what, NULL, &memory_limits[at]);
    struct rlimit64 before = memory_limits[at];
    if (to && to->rlim_cur > to->rlim_max)
        return -EINVAL;
    memory_limit_set[at] = true;
    if (to)
        memory_limits[at] = *to;
    if (old)
        *old = before;
    return 0;
}

long pf_call_limit(long number, const long a[6])
{
    bool own = number != SYS_prlimit64 || !a[0] || a[0] == pf_direct.pid || pf_context_find(a[0]);
    const long *arg = number == SYS_prlimit64 ? a + 1 : a; /* resource, new, old */
    int at = own ? stored_limit(arg[0]) : -1;
    if (at < 0)
        return number == SYS_prlimit64 ? pf_call_with_tid(number, a) : pf_syscall_plain(number, a);
    if (!pf_recording())
        return pf_syscall_writes_replay(number, a, pf_input_get(PF_INPUT_CALL, number));
    struct pf_lengths_before before = {0};
    long r = number == SYS_getrlimit   ? keep_limit(at, NULL, (void *)arg[1], arg[0])
             : number == SYS_setrlimit ? keep_limit(at, (void *)arg[1], NULL, arg[0])
                                       : keep_limit(at, (void *)arg[1], (void *)arg[2], arg[0]);
    pf_syscall_writes_log(number, a, &before, r);
    return r;
}

/* Calls with a thread id in argument 0 (1 for priorities). The kernel does not know the ids of
 * contexts: such an id is replaced by 0, the calling thread. */
long pf_call_with_tid(long number, const long a[6])
{
    long b[6];
    pf_copy(b, a, sizeof b);
    int at = number == SYS_getpriority || number == SYS_setpriority ? 1 : 0;
    if (pf_context_find(b[at]) && !(at == 1 && a[0] != PRIO_PROCESS))
        b[at] = 0;
    return pf_syscall_plain(number, b);
}
