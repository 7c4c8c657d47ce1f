/*
 * blocking.c - system calls that may wait. The call itself is performed without waiting; the thread
 * waits in the scheduler instead of in the kernel.
 *
 * Every attempt is logged, also those that would have waited, and so is how each wait ended. A
 * replay therefore runs through the same loop with the same results and never has to ask whether a
 * descriptor is ready.
 */
#define _GNU_SOURCE
#include "syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#define REPEAT_NS 1000000ull /* between two attempts of a call that cannot be polled */

bool pf_fd_ready(int fd, short events)
{
    struct pollfd p = {fd, events, 0};
    /* an error counts as ready: the call itself reports it */
    return pf_sys(SYS_poll, &p, 1, 0) != 0;
}

bool pf_fd_nonblocking(int fd)
{
    long flags = pf_sys(SYS_fcntl, fd, F_GETFL);
    return flags < 0 || flags & O_NONBLOCK;
}

bool pf_fd_is_stream(int fd)
{
    int type = 0;
    socklen_t n = sizeof type;
    return pf_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_STREAM;
}

uint64_t pf_deadline_after(int64_t seconds, int64_t nanoseconds)
{
    uint64_t now = pf_sched_now();
    if (seconds > INT64_MAX / 2000000000)
        return 0;
    return now + (uint64_t)seconds * 1000000000u + (uint64_t)nanoseconds + 1;
}

static bool try_once(struct pf_blocking *b, const struct pf_pin *pin)
{
    if (pf_recording()) {
        struct pf_lengths_before before;
        pf_syscall_writes_prepare(b->number, b->argument, &before);
        bool done = b->try_now(b);
        if (done)
            pf_syscall_writes_log(b->number, b->argument, &before, b->result);
        else {
            pf_input_put(PF_INPUT_BLOCKED, b->number, (int64_t)b->deadline, NULL, 0);
            pf_pin_waits(pin, b->number);
        }
        return done;
    }
    const struct pf_input *in = pf_input_peek();
    if (in && in->kind == PF_INPUT_BLOCKED) {
        b->deadline = (uint64_t)pf_input_get(PF_INPUT_BLOCKED, b->number)->result;
        return false;
    }
    b->result =
        pf_syscall_writes_replay(b->number, b->argument, pf_input_get(PF_INPUT_CALL, b->number));
    return true;
}

static enum pf_woken wait(struct pf_blocking *b)
{
    struct pf_syscall_state *w = pf_syscall_state_self();
    struct pf_wait how = {.kind = b->kind, .deadline = b->deadline};
    if (b->set_size) {
        how.object = (uint64_t)b->set[0].fd;
        how.mask = (uint32_t)b->set[0].events;
    }
    if (b->repeat) {
        uint64_t soon = pf_sched_now() + REPEAT_NS;
        if (!how.deadline || how.deadline > soon)
            how.deadline = soon;
    }
    w->set = b->set;
    w->set_size = b->set_size;
    w->repeat = b->repeat;
    enum pf_woken woken = pf_sched_wait(&how);
    w->set = NULL;
    w->set_size = 0;
    w->repeat = false;
    if (woken == PF_WOKEN_TIMEOUT && (!b->deadline || pf_sched_now() < b->deadline))
        woken = PF_WOKEN; /* only the polling interval is over, not the deadline */
    if (pf_recording())
        pf_input_put(PF_INPUT_WOKEN, b->number, woken, NULL, 0);
    else
        woken = (enum pf_woken)pf_input_get(PF_INPUT_WOKEN, b->number)->result;
    return woken;
}

long pf_blocking_run(struct pf_blocking *b)
{
    struct pf_pin pin;
    if (pf_recording() && pf_pin_begin(&pin, b->number, b->argument, &b->result)) {
        pf_output_track(b->number, b->argument, b->result);
        return b->result;
    }
    while (!try_once(b, &pin)) {
        enum pf_woken woken = pf_signal_pending() ? PF_WOKEN_SIGNAL : wait(b);
        b->last = woken == PF_WOKEN_TIMEOUT;
        enum pf_handled h = woken == PF_WOKEN_SIGNAL ? pf_signal_run_handlers() : PF_HANDLED_NONE;
        if (h == PF_HANDLED_INTERRUPT || (h == PF_HANDLED_RESTART && b->never_restart))
            return -EINTR;
    }
    if (pf_recording())
        pf_pin_end(&pin, b->number, b->argument, b->result);
    pf_output_track(b->number, b->argument, b->result);
    return b->result;
}

/* --- one descriptor --- */

bool pf_blocking_socket_timeout(struct pf_blocking *b)
{
    struct timeval t = {0, 0};
    socklen_t n = sizeof t;
    int which = b->set[0].events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO;
    if (!b->deadline && pf_sys(SYS_getsockopt, b->set[0].fd, SOL_SOCKET, which, &t, &n) == 0 &&
        (t.tv_sec || t.tv_usec))
        b->deadline = pf_deadline_after(t.tv_sec, t.tv_usec * 1000);
    return false;
}

/* True if the kernel refuses the call at once, although poll says that the descriptor is not ready:
 * it is open for the other direction only, or no connection can arrive. */
static bool is_refused(const struct pf_blocking *b)
{
    int fd = b->set[0].fd, listens = 1;
    socklen_t n = sizeof listens;
    long flags = pf_sys(SYS_fcntl, fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == (b->set[0].events & POLLOUT ? O_RDONLY : O_WRONLY))
        return true;
    return (b->number == SYS_accept || b->number == SYS_accept4) &&
           pf_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) == 0 && !listens;
}

static bool try_fd(struct pf_blocking *b)
{
    int fd = b->set[0].fd;
    if (!pf_fd_ready(fd, b->set[0].events) && !pf_fd_nonblocking(fd) && !is_refused(b)) {
        b->result = -EAGAIN;
        if (!b->last)
            return pf_blocking_socket_timeout(b);
    } else {
        b->result = pf_perform(b->number, b->argument);
    }
    return true;
}

long pf_blocking_fd(long number, const long a[6], short events)
{
    struct pollfd one = {(int)a[0], events, 0};
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_fd,
        .kind = PF_WAIT_FD,
        .set = &one,
        .set_size = 1,
    };
    return pf_blocking_run(&b);
}
