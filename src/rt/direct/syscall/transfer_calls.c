/*
 * transfer_calls.c - write, send, receive and connect, without waiting in the kernel: the
 * thread at the other end may be another context, which could not run meanwhile.
 *
 * A write of more than fits is done in parts, with waits in the scheduler in between. For the
 * target and in the log it is one call.
 */
#define _GNU_SOURCE
#include "syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define PIPE_PART 4096u /* a pipe that polls as ready takes this much without waiting */
#define PARTS 8

/* The remaining buffers after `done` bytes, at most PARTS of them. Returns their number. */
static size_t rest(const struct iovec *v, size_t count, size_t done, struct iovec out[PARTS])
{
    size_t n = 0;
    for (; count && n < PARTS; v++, count--) {
        if (done >= v->iov_len) {
            done -= v->iov_len;
            continue;
        }
        out[n++] = (struct iovec){(char *)v->iov_base + done, v->iov_len - done};
        done = 0;
    }
    return n;
}

static long send_part(struct pf_blocking *b, const struct iovec *v, size_t count)
{
    struct iovec part[PARTS];
    const long *a = b->argument;
    struct msghdr m = {0};
    long flags = 0;
    if (b->number == SYS_sendmsg) {
        const struct msghdr *given = (const struct msghdr *)a[1];
        m.msg_name = given->msg_name;
        m.msg_namelen = given->msg_namelen;
        if (!b->done) {
            m.msg_control = given->msg_control;
            m.msg_controllen = given->msg_controllen;
        }
        flags = a[2];
    } else if (b->number == SYS_sendto) {
        m.msg_name = (void *)a[4];
        m.msg_namelen = (socklen_t)a[5];
        flags = a[3];
    }
    m.msg_iov = part;
    m.msg_iovlen = rest(v, count, b->done, part);
    return pf_sys(SYS_sendmsg, a[0], &m, flags | MSG_DONTWAIT);
}

/* As struct pf_blocking requires. Counts in b->done the bytes that were written in parts. */
static bool try_write(struct pf_blocking *b)
{
    const long *a = b->argument;
    int fd = (int)a[0];
    struct iovec one, part[PARTS];
    const struct iovec *v;
    struct stat st = {0};
    size_t count = pf_output_vectors(b->number, a, &one, &v), whole = 0;
    for (size_t i = 0; i < count; i++)
        whole += v[i].iov_len;
    if (pf_output_hidden(fd)) {
        b->result = (long)whole;
        return true;
    }
    bool whole_at_once = whole <= PIPE_PART || pf_fd_nonblocking(fd) ||
                         pf_sys(SYS_fstat, fd, &st) != 0 ||
                         !(S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) && pf_fd_is_stream(fd)));
    while (b->last || pf_fd_ready(fd, POLLOUT) || (whole_at_once && pf_fd_nonblocking(fd))) {
        long r;
        if (whole_at_once) {
            r = pf_perform(b->number, a);
        } else if (S_ISSOCK(st.st_mode)) {
            r = send_part(b, v, count);
        } else {
            rest(v, count, b->done, part);
            r = pf_sys(SYS_write, fd, part[0].iov_base,
                       part[0].iov_len < PIPE_PART ? part[0].iov_len : PIPE_PART);
        }
        if (r == -EAGAIN && !whole_at_once && !b->last)
            break;
        if (r > 0)
            b->done += (size_t)r;
        b->result = b->done ? (long)b->done : r;
        if (whole_at_once || r <= 0 || b->done == whole || b->last)
            return true;
    }
    if (!b->deadline && S_ISSOCK(st.st_mode))
        pf_blocking_socket_timeout(b);
    return false;
}

/* write, writev, sendto, sendmsg. */
long pf_call_write(long number, const long a[6])
{
    struct pollfd one = {(int)a[0], POLLOUT, 0};
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_write,
        .kind = PF_WAIT_FD,
        .set = &one,
        .set_size = 1,
    };
    struct iovec single;
    const struct iovec *v;
    long r = pf_blocking_run(&b);
    long flags = number == SYS_sendto ? a[3] : number == SYS_sendmsg ? a[2] : 0;
    if (r == -EPIPE && !(flags & MSG_NOSIGNAL))
        pf_signal_raise(SIGPIPE); /* the kernel's own SIGPIPE is dropped: it arrives too late */
    if (r > 0) {
        pf_sched_poll_soon();
        size_t count = pf_output_vectors(number, a, &single, &v);
        pf_output_bytes(number, a, v, count, r);
    }
    return r;
}

/* --- receiving --- */

static long receive_flags(long number, const long a[6]) { return a[number == SYS_recvmsg ? 2 : 3]; }

static bool try_receive(struct pf_blocking *b)
{
    const long *a = b->argument;
    long flags = receive_flags(b->number, a);
    long c[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};
    c[b->number == SYS_recvmsg ? 2 : 3] = (flags & ~(long)MSG_WAITALL) | MSG_DONTWAIT;
    if (b->number == SYS_recvmmsg)
        c[4] = 0;
    if (b->number == SYS_recvfrom && flags & MSG_WAITALL) {
        c[1] += (long)b->done;
        c[2] -= (long)b->done;
    }
    b->result = pf_perform(b->number, c);
    bool waits = !(flags & MSG_DONTWAIT) && !b->last && !pf_fd_nonblocking((int)a[0]);
    if (b->number == SYS_recvfrom && flags & MSG_WAITALL && !(flags & MSG_PEEK)) {
        if (b->result > 0)
            b->done += (size_t)b->result;
        if (b->result > 0 && b->done < (size_t)a[2] && waits)
            return false;
        if (b->done && (b->result >= 0 || !waits || b->result != -EAGAIN)) {
            b->result = (long)b->done;
            return true;
        }
    }
    if (b->result == -EAGAIN && waits)
        return pf_blocking_socket_timeout(b);
    return true;
}

/* recvfrom, recvmsg, recvmmsg. */
long pf_call_receive(long number, const long a[6])
{
    struct pollfd one = {(int)a[0], POLLIN, 0};
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_receive,
        .kind = PF_WAIT_FD,
        .set = &one,
        .set_size = 1,
    };
    const struct timespec *limit = (const struct timespec *)a[4];
    if (number == SYS_recvmmsg && limit)
        b.deadline = pf_deadline_after(limit->tv_sec, limit->tv_nsec);
    return pf_blocking_run(&b);
}

/* --- connecting --- */

enum { FRESH, IN_PROGRESS };

static bool try_connect(struct pf_blocking *b)
{
    const long *a = b->argument;
    int fd = (int)a[0], error = 0;
    socklen_t n = sizeof error;
    if (b->done == FRESH) {
        long flags = pf_sys(SYS_fcntl, fd, F_GETFL);
        if (flags < 0 || flags & O_NONBLOCK) {
            b->result = pf_perform(b->number, a);
            return true;
        }
        pf_sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
        b->result = pf_perform(b->number, a);
        pf_sys(SYS_fcntl, fd, F_SETFL, flags);
        b->repeat = b->result == -EAGAIN; /* a local socket with a full queue cannot be polled */
        if (b->result != -EINPROGRESS && b->result != -EAGAIN)
            return true;
        if (b->result == -EINPROGRESS)
            b->done = IN_PROGRESS;
        return b->last;
    }
    if (!pf_fd_ready(fd, POLLOUT)) {
        b->result = -EINPROGRESS;
        return b->last ? true : pf_blocking_socket_timeout(b);
    }
    b->result = pf_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &n);
    if (b->result == 0)
        b->result = -error;
    return true;
}

long pf_call_connect(long number, const long a[6])
{
    struct pollfd one = {(int)a[0], POLLOUT, 0};
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_connect,
        .kind = PF_WAIT_FD,
        .set = &one,
        .set_size = 1,
    };
    return pf_blocking_run(&b);
}
