/*
 * wrap_socket.c - sockets: all sockets of a process share one channel, except that those of a
 * socketpair have their own. Receiving a message writes everything that the kernel fills in.
 */
#include "wrap_fd.h"
#include <sys/socket.h>
#include <sys/uio.h>

PF_FD_MAKES(socket, (int domain, int type, int protocol), PF_REAL(socket)(domain, type, protocol),
            PF_FD_SOCKET)
PF_FD_MAKES_TWO(socketpair, (int domain, int type, int protocol, int fds[2]),
                PF_REAL(socketpair)(domain, type, protocol, fds), fds, pf_fd_new_pair)

static socklen_t least(socklen_t a, socklen_t b) { return a < b ? a : b; }
/* The room for an address, read before the call: the kernel replaces it by the full length of the
 * address, also if it has stored only a part. */
static socklen_t room_at(const socklen_t *size)
{
    return size && pf_sys_readable(size, sizeof *size) ? *size : 0;
}
/* An address that the kernel fills in, and its length. */
static void address_written(struct pf_call *c, const void *address, const socklen_t *size,
                            socklen_t room)
{
    if (!address || !size)
        return;
    pf_runtime_write(c->t, size, sizeof *size, pf_call_id(c, PF_NATIVE_WRITE));
    pf_runtime_write(c->t, address, least(*size, room), pf_call_id(c, PF_NATIVE_WRITE));
}

#define ACCEPTS(fn, parameters, call)                                                              \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return call;                                                                           \
        pf_fd_use(&c, fd);                                                                         \
        socklen_t room = room_at(size);                                                            \
        int r = PF_BLOCKING(c, call);                                                              \
        if (r >= 0) {                                                                              \
            pf_fd_new(r, PF_FD_SOCKET);                                                            \
            pf_fd_opened_by(&c, r);                                                                \
            pf_fd_receive(c.t, r);                                                                 \
            address_written(&c, from.__sockaddr__, size, room);                                    \
        }                                                                                          \
        return r;                                                                                  \
    }
ACCEPTS(accept, (int fd, __SOCKADDR_ARG from, socklen_t *size), PF_REAL(accept)(fd, from, size))
ACCEPTS(accept4, (int fd, __SOCKADDR_ARG from, socklen_t *size, int flags),
        PF_REAL(accept4)(fd, from, size, flags))

/* A connection: connect sends to accept, and receives what the listener sent when it was set up. */
PF_INTERPOSE(int, connect, (int fd, __CONST_SOCKADDR_ARG to, socklen_t size))
{
    PF_CALL(c, connect);
    if (!c.t)
        return PF_REAL(connect)(fd, to, size);
    PF_FD_READS(c, to.__sockaddr__, size);
    pf_fd_use(&c, fd);
    pf_fd_send(c.t, fd);
    int r = PF_BLOCKING(c, PF_REAL(connect)(fd, to, size));
    if (r == 0)
        pf_fd_receive(c.t, fd);
    return r;
}
PF_INTERPOSE(int, bind, (int fd, __CONST_SOCKADDR_ARG to, socklen_t size))
{
    PF_CALL(c, bind);
    if (c.t) {
        PF_FD_READS(c, to.__sockaddr__, size);
        pf_fd_use(&c, fd);
    }
    int r = PF_REAL(bind)(fd, to, size);
    pf_call_keep_errno(&c);
    return r;
}
#define SENDS_FIRST(fn, parameters, call)                                                          \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t) {                                                                                 \
            pf_fd_use(&c, fd);                                                                     \
            pf_fd_send(c.t, fd);                                                                   \
        }                                                                                          \
        int r = call;                                                                              \
        pf_call_keep_errno(&c);                                                                    \
        return r;                                                                                  \
    }
SENDS_FIRST(listen, (int fd, int n), PF_REAL(listen)(fd, n))
SENDS_FIRST(shutdown, (int fd, int how), PF_REAL(shutdown)(fd, how))

PF_FD_SENDS(ssize_t, send, (int fd, const void *p, size_t size, int flags), fd,
            PF_REAL(send)(fd, p, size, flags), PF_FD_READS(c, p, size))
PF_FD_SENDS(ssize_t, sendto,
            (int fd, const void *p, size_t size, int flags, __CONST_SOCKADDR_ARG to,
             socklen_t length),
            fd, PF_REAL(sendto)(fd, p, size, flags, to, length), PF_FD_READS(c, p, size);
            if (to.__sockaddr__) PF_FD_READS(c, to.__sockaddr__, length))

/* The result for a datagram that is longer than the buffer is its full length with MSG_TRUNC. */
static void received(struct pf_call *c, int fd, void *p, size_t size, ssize_t n)
{
    if (n < 0)
        return;
    pf_fd_receive(c->t, fd);
    pf_runtime_write(c->t, p, (size_t)n < size ? (size_t)n : size, pf_call_id(c, PF_NATIVE_WRITE));
}
#define RECEIVES(fn, parameters, call)                                                             \
    PF_FD_RECEIVES(fn, parameters, fd, call, received(&c, fd, p, size, r))
ssize_t __recv_chk(int fd, void *p, size_t size, size_t room, int flags);
RECEIVES(recv, (int fd, void *p, size_t size, int flags), PF_REAL(recv)(fd, p, size, flags))
RECEIVES(__recv_chk, (int fd, void *p, size_t size, size_t room, int flags),
         PF_REAL(__recv_chk)(fd, p, size, room, flags))
PF_INTERPOSE(ssize_t, recvfrom,
             (int fd, void *p, size_t size, int flags, __SOCKADDR_ARG from, socklen_t *length))
{
    PF_CALL(c, recvfrom);
    if (!c.t)
        return PF_REAL(recvfrom)(fd, p, size, flags, from, length);
    pf_fd_use(&c, fd);
    socklen_t room = room_at(length);
    ssize_t n = PF_BLOCKING(c, PF_REAL(recvfrom)(fd, p, size, flags, from, length));
    received(&c, fd, p, size, n);
    if (n >= 0)
        address_written(&c, from.__sockaddr__, length, room);
    return n;
}

/* Calls f for the descriptors in a message; only as many as there is room for. */
static void each_descriptor(const struct msghdr *m, void (*f)(int))
{
    if (!m->msg_control)
        return;
    const char *end = (const char *)m->msg_control + m->msg_controllen;
    for (struct cmsghdr *p = CMSG_FIRSTHDR(m); p; p = CMSG_NXTHDR((struct msghdr *)m, p)) {
        const int *fd = (const int *)CMSG_DATA(p), *last = (const int *)((char *)p + p->cmsg_len);
        if (p->cmsg_level == SOL_SOCKET && p->cmsg_type == SCM_RIGHTS)
            for (; fd < last && (const char *)(fd + 1) <= end; fd++)
                f(*fd);
    }
}

/* False: the kernel refuses the message, because it cannot read all of it. */
static bool is_message(const struct msghdr *m)
{
    return pf_sys_readable(m, sizeof *m) && m->msg_iovlen <= UIO_MAXIOV &&
           pf_sys_readable(m->msg_iov, m->msg_iovlen * sizeof *m->msg_iov) &&
           (!m->msg_control || pf_sys_readable(m->msg_control, m->msg_controllen));
}

static void message_sent(struct pf_call *c, const struct msghdr *m)
{
    uint32_t id = pf_call_id(c, PF_NATIVE_READ);
    if (!is_message(m))
        return;
    pf_runtime_read(c->t, m, sizeof *m, id);
    if (m->msg_name)
        pf_runtime_read(c->t, m->msg_name, m->msg_namelen, id);
    if (m->msg_control)
        pf_runtime_read(c->t, m->msg_control, m->msg_controllen, id);
    each_descriptor(m, pf_fd_sent_in_message);
    for (size_t i = 0; i < m->msg_iovlen; i++)
        pf_runtime_read(c->t, m->msg_iov[i].iov_base, m->msg_iov[i].iov_len, id);
}
/* room: for the name, before the call */
static void message_received(struct pf_call *c, const struct msghdr *m, socklen_t room, size_t n)
{
    uint32_t id = pf_call_id(c, PF_NATIVE_WRITE);
    pf_runtime_read(c->t, m, sizeof *m, pf_call_id(c, PF_NATIVE_READ));
    if (m->msg_name)
        pf_runtime_write(c->t, m->msg_name, least(m->msg_namelen, room), id);
    if (m->msg_control)
        pf_runtime_write(c->t, m->msg_control, m->msg_controllen, id);
    each_descriptor(m, pf_fd_received_in_message);
    pf_runtime_write(c->t, &m->msg_flags, sizeof m->msg_flags, id);
    for (size_t i = 0; i < m->msg_iovlen && n; i++) {
        size_t part = m->msg_iov[i].iov_len < n ? m->msg_iov[i].iov_len : n;
        pf_runtime_write(c->t, m->msg_iov[i].iov_base, part, id);
        n -= part;
    }
}

PF_INTERPOSE(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags))
{
    PF_CALL(c, sendmsg);
    if (!c.t)
        return PF_REAL(sendmsg)(fd, m, flags);
    message_sent(&c, m);
    pf_fd_use(&c, fd);
    pf_fd_send(c.t, fd);
    return PF_BLOCKING(c, PF_REAL(sendmsg)(fd, m, flags));
}
PF_INTERPOSE(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags))
{
    PF_CALL(c, recvmsg);
    if (!c.t)
        return PF_REAL(recvmsg)(fd, m, flags);
    pf_fd_use(&c, fd);
    socklen_t room = room_at(&m->msg_namelen);
    ssize_t n = PF_BLOCKING(c, PF_REAL(recvmsg)(fd, m, flags));
    if (n >= 0) {
        pf_fd_receive(c.t, fd);
        message_received(&c, m, room, (size_t)n);
    }
    return n;
}
PF_INTERPOSE(int, sendmmsg, (int fd, struct mmsghdr *m, unsigned count, int flags))
{
    PF_CALL(c, sendmmsg);
    if (!c.t)
        return PF_REAL(sendmmsg)(fd, m, count, flags);
    for (unsigned i = 0; i < count && pf_sys_readable(&m[i], sizeof m[i]); i++)
        message_sent(&c, &m[i].msg_hdr);
    pf_fd_use(&c, fd);
    pf_fd_send(c.t, fd);
    int n = PF_BLOCKING(c, PF_REAL(sendmmsg)(fd, m, count, flags));
    for (int i = 0; i < n; i++)
        PF_FD_WRITES(c, &m[i].msg_len, sizeof m->msg_len);
    return n;
}
PF_INTERPOSE(int, recvmmsg,
             (int fd, struct mmsghdr *m, unsigned count, int flags, struct timespec *limit))
{
    PF_CALL(c, recvmmsg);
    if (!c.t)
        return PF_REAL(recvmmsg)(fd, m, count, flags, limit);
    pf_fd_use(&c, fd);
    socklen_t room[UIO_MAXIOV]; /* the kernel receives no more messages than that */
    for (unsigned i = 0; i < count && i < UIO_MAXIOV; i++)
        room[i] = room_at(&m[i].msg_hdr.msg_namelen);
    int n = PF_BLOCKING(c, PF_REAL(recvmmsg)(fd, m, count, flags, limit));
    if (n >= 0)
        pf_fd_receive(c.t, fd);
    for (int i = 0; i < n; i++) {
        PF_FD_WRITES(c, &m[i].msg_len, sizeof m->msg_len);
        message_received(&c, &m[i].msg_hdr, room[i], m[i].msg_len);
    }
    return n;
}

/* Queries about a socket. */
#define TELLS_ADDRESS(fn)                                                                          \
    PF_INTERPOSE(int, fn, (int fd, __SOCKADDR_ARG address, socklen_t *size))                       \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        socklen_t room = c.t ? room_at(size) : 0;                                                  \
        int r = PF_REAL(fn)(fd, address, size);                                                    \
        pf_call_keep_errno(&c);                                                                    \
        if (c.t && r == 0)                                                                         \
            address_written(&c, address.__sockaddr__, size, room);                                 \
        return r;                                                                                  \
    }
TELLS_ADDRESS(getsockname)
TELLS_ADDRESS(getpeername)
PF_INTERPOSE(int, getsockopt, (int fd, int level, int name, void *p, socklen_t *size))
{
    PF_CALL(c, getsockopt);
    socklen_t room = c.t ? room_at(size) : 0;
    int r = PF_REAL(getsockopt)(fd, level, name, p, size);
    pf_call_keep_errno(&c);
    if (c.t && r == 0)
        address_written(&c, p, size, room);
    return r;
}
