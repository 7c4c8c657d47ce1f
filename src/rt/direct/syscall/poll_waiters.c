/*
 * poll_waiters.c - while recording, asks the kernel which of the threads that wait for descriptors,
 * children or signals can continue.
 */
#define _GNU_SOURCE
#include "inside_waits.h"
#include "scheduler.h"
#include "signals.h"
#include "store.h"
#include <errno.h>
#include <sys/wait.h>
#include <time.h>

/* The kernel may deliver what the process has sent to itself a little later. */
#define INSIDE_NS 5000000ull
#define CHILD_NS 20000000ull /* interval for checking children, in case SIGCHLD is ignored */

static struct pollfd *room;
static size_t room_size;

static bool room_for(size_t n)
{
    if (n > room_size) {
        size_t size = 1024;
        while (size < n)
            size *= 2;
        room = pf_sys_map(NULL, size * sizeof *room); /* the old array is not freed: it is small */
        room_size = room ? size : 0;
    }
    return n <= room_size;
}

struct poll_request {
    size_t fds;
    bool real; /* at least one descriptor is not negative; negative ones are ignored by poll */
    bool repeats, children, signals; /* some thread waits for one of these */
};

/* Collects everything that threads wait for; the descriptors are in `room`. */
static struct poll_request gather(void)
{
    struct poll_request l = {0};
    struct pf_wait w;
    size_t n = 0;
    for (struct pf_context *c = NULL; (c = pf_sched_next_waiter(c, &w));)
        n += pf_syscall_state_of(c)->set_size;
    if (!room_for(n))
        return l;
    for (struct pf_context *c = NULL; (c = pf_sched_next_waiter(c, &w));) {
        const struct pf_syscall_state *x = pf_syscall_state_of(c);
        for (uint32_t i = 0; i < x->set_size; i++) {
            l.real |= x->set[i].fd >= 0;
            room[l.fds] = x->set[i];
            room[l.fds++].revents = 0;
        }
        l.repeats |= x->repeat;
        l.children |= w.kind == PF_WAIT_CHILD;
        l.signals |= w.kind == PF_WAIT_SIGNAL;
    }
    l.repeats |= pf_waits_shared();
    return l;
}

/* Wakes the threads that can continue, in the order in which they began to wait: several readers of
 * one pipe may use it as a lock. */
static bool wake_ready(bool child)
{
    struct pf_wait w, v;
    size_t at = 0;
    bool any = false;
    for (struct pf_context *c = pf_sched_next_waiter(NULL, &w), *next; c; c = next, w = v) {
        next = pf_sched_next_waiter(c, &v);
        const struct pf_syscall_state *x = pf_syscall_state_of(c);
        bool ready = w.kind == PF_WAIT_CHILD && child;
        for (uint32_t i = 0; i < x->set_size; i++)
            ready |= room[at++].revents != 0;
        if (ready)
            pf_sched_end_wait(c);
        any |= ready;
    }
    return any;
}

static bool child_ended(void)
{
    siginfo_t info = {0};
    long r = pf_sys(SYS_waitid, P_ALL, 0, &info,
                    WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT, NULL);
    /* without any child this is true too: the waiting call then reports the error */
    return r != 0 || info.si_pid != 0;
}

bool pf_waiters_poll(uint64_t deadline)
{
    struct poll_request l = gather();
    uint64_t virtual = pf_sched_now();
    bool no_wait = deadline && deadline <= virtual;
    if (no_wait || pf_signal_arrived()) {
        if (l.fds)
            pf_sys(SYS_poll, room, l.fds, 0);
        bool ready = wake_ready(l.children && child_ended()), arrived = pf_signal_arrived();
        pf_signal_take_arrived();
        return ready || arrived;
    }
    /* A signal may arrive from outside at any time. But a thread that waits for one with a deadline
     * needs no real wait: virtual time jumps to the deadline. */
    if (!l.real && !l.repeats && !l.children && (!l.signals || deadline))
        return false;
    uint64_t limit = deadline ? deadline - virtual : UINT64_MAX;
    bool inside = pf_waits_are_inside();
    if (inside && limit > INSIDE_NS)
        limit = INSIDE_NS;
    if (l.children && limit > CHILD_NS)
        limit = CHILD_NS;
    if (l.children && child_ended())
        limit = 0;
    struct timespec t = {(time_t)(limit / 1000000000), (long)(limit % 1000000000)};
    /* Signals are unblocked only inside ppoll, so that none is missed between the check and the
     * wait. */
    uint64_t all = ~0ull, began = pf_sys_clock(CLOCK_MONOTONIC);
    pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
    if (!pf_signal_arrived())
        pf_sys(SYS_ppoll, room, l.fds, limit == UINT64_MAX ? NULL : &t, &pf_kernel_mask, 8);
    pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &pf_kernel_mask, NULL, 8);
    uint64_t passed = pf_sys_clock(CLOCK_MONOTONIC) - began;
    if (inside) { /* real time does not count: virtual time jumps to the deadline */
        bool ready = wake_ready(false), arrived = pf_signal_arrived();
        pf_signal_take_arrived();
        return ready || arrived;
    }
    pf_sched_time_passed(limit != UINT64_MAX && passed > limit ? limit : passed);
    wake_ready(l.children && child_ended());
    pf_signal_take_arrived();
    return true;
}
