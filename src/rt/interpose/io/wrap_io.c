/*
 * wrap_io.c - read and write in all their forms: the buffer is accessed, the transfer makes order.
 *
 * A write is checked and sent before the real call, a read received after it. An end of file (0) is
 * received too: the close sent it.
 */
#include "wrap_fd.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reading from a signalfd acquires what the senders of these signals did. */
static void receive_signals(struct pf_thread *t, const void *buffer, size_t size)
{
    const struct signalfd_siginfo *s = buffer;
    for (; size >= sizeof *s; size -= sizeof *s, s++)
        pf_hb_acquire(t, pf_signal_object((int)s->ssi_signo));
}

static void received(struct pf_call *c, int fd, void *buffer, ssize_t n)
{
    if (n < 0)
        return;
    pf_fd_receive(c->t, fd);
    if (n && pf_fd_kind(fd) == PF_FD_SIGNAL)
        receive_signals(c->t, buffer, (size_t)n);
    pf_runtime_write(c->t, buffer, (size_t)n, pf_call_id(c, PF_NATIVE_WRITE));
}

#define READS(fn, parameters, call) PF_FD_RECEIVES(fn, parameters, fd, call, received(&c, fd, p, r))
ssize_t __read_chk(int fd, void *p, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t size, off64_t at, size_t room);
READS(read, (int fd, void *p, size_t size), PF_REAL(read)(fd, p, size))
READS(pread, (int fd, void *p, size_t size, off_t at), PF_REAL(pread)(fd, p, size, at))
READS(pread64, (int fd, void *p, size_t size, off64_t at), PF_REAL(pread64)(fd, p, size, at))
READS(__read_chk, (int fd, void *p, size_t size, size_t room),
      PF_REAL(__read_chk)(fd, p, size, room))
READS(__pread_chk, (int fd, void *p, size_t size, off_t at, size_t room),
      PF_REAL(__pread_chk)(fd, p, size, at, room))
READS(__pread64_chk, (int fd, void *p, size_t size, off64_t at, size_t room),
      PF_REAL(__pread64_chk)(fd, p, size, at, room))

#define WRITES(fn, parameters, call)                                                               \
    PF_FD_SENDS(ssize_t, fn, parameters, fd, call, PF_FD_READS(c, p, size))
WRITES(write, (int fd, const void *p, size_t size), PF_REAL(write)(fd, p, size))
WRITES(pwrite, (int fd, const void *p, size_t size, off_t at), PF_REAL(pwrite)(fd, p, size, at))
WRITES(pwrite64, (int fd, const void *p, size_t size, off64_t at),
       PF_REAL(pwrite64)(fd, p, size, at))

/* The first n bytes of a list of buffers. */
static void list_read(struct pf_call *c, const struct iovec *v, int count, size_t n)
{
    if (count <= 0 || count > UIO_MAXIOV || !pf_sys_readable(v, (size_t)count * sizeof *v))
        return; /* the kernel refuses the call */
    pf_runtime_read(c->t, v, (size_t)count * sizeof *v, pf_call_id(c, PF_NATIVE_READ));
    for (; count > 0 && n; count--, v++) {
        size_t part = v->iov_len < n ? v->iov_len : n;
        pf_runtime_read(c->t, v->iov_base, part, pf_call_id(c, PF_NATIVE_READ));
        n -= part;
    }
}
static void list_received(struct pf_call *c, int fd, const struct iovec *v, int count, ssize_t n)
{
    if (n < 0)
        return;
    pf_fd_receive(c->t, fd);
    pf_runtime_read(c->t, v, (size_t)count * sizeof *v, pf_call_id(c, PF_NATIVE_READ));
    for (; count > 0 && n > 0; count--, v++) {
        ssize_t part = (ssize_t)v->iov_len < n ? (ssize_t)v->iov_len : n;
        pf_runtime_write(c->t, v->iov_base, (size_t)part, pf_call_id(c, PF_NATIVE_WRITE));
        n -= part;
    }
}

#define READS_LIST(fn, parameters, arguments)                                                      \
    PF_FD_RECEIVES(fn, parameters, fd, PF_REAL(fn) arguments, list_received(&c, fd, v, count, r))
#define WRITES_LIST(fn, parameters, arguments)                                                     \
    PF_FD_SENDS(ssize_t, fn, parameters, fd, PF_REAL(fn) arguments,                                \
                list_read(&c, v, count, SIZE_MAX))
/* Defines readv and its variants, or writev and its variants. Those with flags are readv and writev
 * if `at` is -1. */
#define LISTS(DEFINES, verb)                                                                       \
    DEFINES(verb##v, (int fd, const struct iovec *v, int count), (fd, v, count))                   \
    DEFINES(p##verb##v, (int fd, const struct iovec *v, int count, off_t at), (fd, v, count, at))  \
    DEFINES(p##verb##v64, (int fd, const struct iovec *v, int count, off64_t at),                  \
            (fd, v, count, at))                                                                    \
    DEFINES(p##verb##v2, (int fd, const struct iovec *v, int count, off_t at, int flags),          \
            (fd, v, count, at, flags))                                                             \
    DEFINES(p##verb##v64v2, (int fd, const struct iovec *v, int count, off64_t at, int flags),     \
            (fd, v, count, at, flags))
LISTS(READS_LIST, read)
LISTS(WRITES_LIST, write)

/* The direction depends on the end of the pipe. */
PF_INTERPOSE(ssize_t, vmsplice, (int fd, const struct iovec *v, size_t count, unsigned flags))
{
    PF_CALL(c, vmsplice);
    if (!c.t)
        return PF_REAL(vmsplice)(fd, v, count, flags);
    bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    pf_fd_use(&c, fd);
    if (writes) {
        list_read(&c, v, (int)count, SIZE_MAX);
        pf_fd_send(c.t, fd);
    }
    ssize_t n = PF_BLOCKING(c, PF_REAL(vmsplice)(fd, v, count, flags));
    if (!writes)
        list_received(&c, fd, v, (int)count, n);
    return n;
}

/* From descriptor to descriptor, inside the kernel. */
static void move_begins(struct pf_call *c, int from, int to)
{
    pf_fd_use(c, from);
    pf_fd_use(c, to);
    pf_fd_send(c->t, to);
}
/* The kernel reads an offset of the program and, unless nothing was moved, stores the new one. */
static void offset_used(struct pf_call *c, const off64_t *at, ssize_t n)
{
    if (at && n)
        PF_FD_WRITES(*c, at, sizeof *at);
    else if (at)
        PF_FD_READS(*c, at, sizeof *at);
}
static void moved(struct pf_call *c, int from, const off64_t *at, const off64_t *to_at, ssize_t n)
{
    if (n < 0)
        return;
    pf_fd_receive(c->t, from);
    offset_used(c, at, n);
    offset_used(c, to_at, n);
}
#define MOVES(fn, parameters, call, at, to_at)                                                     \
    PF_INTERPOSE_BLOCKING(ssize_t, fn, parameters, call, move_begins(&c, from, to),                \
                          moved(&c, from, at, to_at, r))
MOVES(sendfile, (int to, int from, off_t *at, size_t size), PF_REAL(sendfile)(to, from, at, size),
      at, NULL)
MOVES(sendfile64, (int to, int from, off64_t *at, size_t size),
      PF_REAL(sendfile64)(to, from, at, size), at, NULL)
MOVES(splice, (int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags),
      PF_REAL(splice)(from, at, to, to_at, size, flags), at, to_at)
MOVES(tee, (int from, int to, size_t size, unsigned flags), PF_REAL(tee)(from, to, size, flags),
      NULL, NULL)
MOVES(copy_file_range, (int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags),
      PF_REAL(copy_file_range)(from, at, to, to_at, size, flags), at, to_at)
