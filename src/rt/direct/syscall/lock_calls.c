/*
 * lock_calls.c - file system calls that wait without a descriptor that can be polled: file locks,
 * and opening a named pipe. They are tried without waiting, and again periodically.
 */
#define _GNU_SOURCE
#include "syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

static bool try_flock(struct pf_blocking *b)
{
    const long *a = b->argument;
    b->result = pf_sys(SYS_flock, a[0], a[1] | LOCK_NB);
    return b->result != -EWOULDBLOCK || a[1] & LOCK_NB;
}

long pf_call_flock(long number, const long a[6])
{
    struct pf_blocking b = {
        .number = number, .argument = a, .try_now = try_flock, .kind = PF_WAIT_FD, .repeat = true};
    return pf_blocking_run(&b);
}

static bool try_setlk(struct pf_blocking *b)
{
    const long *a = b->argument;
    /* F_SETLK or F_OFD_SETLK: without waiting */
    b->result = pf_sys(SYS_fcntl, a[0], a[1] - 1, a[2]);
    return b->result != -EAGAIN && b->result != -EACCES;
}

long pf_call_fcntl(long number, const long a[6])
{
    static_assert(F_SETLK + 1 == F_SETLKW && F_OFD_SETLK + 1 == F_OFD_SETLKW, "try_setlk");
    if (a[1] != F_SETLKW && a[1] != F_OFD_SETLKW)
        return pf_syscall_plain(number, a);
    struct pf_blocking b = {
        .number = number, .argument = a, .try_now = try_setlk, .kind = PF_WAIT_FD, .repeat = true};
    return pf_blocking_run(&b);
}

/* --- named pipes --- */

static long stat_of(const struct pf_blocking *b, struct stat *st)
{
    const long *a = b->argument;
    return b->number == SYS_open ? pf_sys(SYS_stat, a[0], st)
                                 : pf_sys(SYS_newfstatat, a[0], a[1], st, 0);
}

/* True if the pipe that fd reads has a writer, or had one since it was opened. For an empty pipe,
 * poll does not show this, but tee does, without consuming data. */
static bool has_writer(int fd)
{
    int copy[2];
    if (pf_fd_ready(fd, POLLIN) || pf_sys(SYS_pipe2, copy, O_CLOEXEC) < 0)
        return true;
    long could_wait = pf_sys(SYS_tee, fd, copy[1], 1, SPLICE_F_NONBLOCK);
    pf_sys(SYS_close, copy[0]);
    pf_sys(SYS_close, copy[1]);
    return could_wait != 0;
}

/* Opening a named pipe to write fails with ENXIO until it has a reader. Opening it to read succeeds
 * at once; b->done then holds the descriptor plus 1 until the pipe has a writer. */
static bool try_open(struct pf_blocking *b)
{
    int at = b->number == SYS_open ? 1 : 2;
    long flags = b->argument[at], c[6];
    struct stat st = {0};
    pf_copy(c, b->argument, sizeof c);
    bool waits = b->done || (!(flags & (O_NONBLOCK | O_PATH)) && (flags & O_ACCMODE) != O_RDWR &&
                             stat_of(b, &st) == 0 && S_ISFIFO(st.st_mode));
    if (waits)
        c[at] |= O_NONBLOCK;
    b->result = b->done ? (long)b->done - 1 : pf_perform(b->number, c);
    if (waits && b->result == -ENXIO)
        return false;
    if (waits && b->result >= 0 && (flags & O_ACCMODE) == O_RDONLY && !has_writer((int)b->result)) {
        b->done = (size_t)b->result + 1;
        return false;
    }
    b->done = 0;
    if (waits && b->result >= 0)
        pf_sys(SYS_fcntl, b->result, F_SETFL, flags);
    return true;
}

long pf_call_open(long number, const long a[6])
{
    struct pf_blocking b = {
        .number = number, .argument = a, .try_now = try_open, .kind = PF_WAIT_FD, .repeat = true};
    long result = pf_blocking_run(&b);
    if (b.done) /* interrupted by a signal */
        pf_sys(SYS_close, b.done - 1);
    return result;
}
