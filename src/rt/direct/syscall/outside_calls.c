/* outside_calls.c - see outside_calls.h. */
#define _GNU_SOURCE
#include "outside_calls.h"
#include "open_descriptors.h"
#include "stream_ring.h"
#include "syscalls.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static uint64_t outside[PF_OWN_FDS]; /* inode of the socket or pipe that leads outside; 0: none */

struct socket_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    } at;
    uint32_t length;
};

/* Same port, or same name. The address of the machine may have several forms, so it is not
 * compared. */
static bool same_place(const struct socket_address *a, const struct socket_address *b)
{
    uint16_t family = a->at.any.sa_family, other = b->at.any.sa_family;
    if (family == AF_UNIX) {
        size_t n = a->length < b->length ? a->length : b->length;
        bool same = other == AF_UNIX && n > sizeof family;
        for (size_t i = sizeof family; i < n && same; i++)
            same = ((const char *)&a->at)[i] == ((const char *)&b->at)[i];
        return same;
    }
    /* the port is at the same place in both forms */
    return (other == AF_INET || other == AF_INET6) && a->at.v4.sin_port == b->at.v4.sin_port;
}

/* True if a socket of this process is at the address. */
static bool is_inside(const struct socket_address *to)
{
    bool open[PF_OPEN_DESCRIPTORS];
    pf_open_descriptors(open);
    for (int fd = 0; fd < PF_OWN_FDS; fd++) {
        struct socket_address own = {.length = sizeof own.at};
        if (open[fd] && pf_sys(SYS_getsockname, fd, &own.at, &own.length) == 0 &&
            same_place(to, &own))
            return true;
    }
    return false;
}

/* Families that lead to another process. */
static bool leads_outside(uint16_t family)
{
    return family == AF_INET || family == AF_INET6 || family == AF_UNIX;
}

static bool is_address_outside(const void *at, uint64_t length)
{
    static struct socket_address to;
    if (!at || length < sizeof to.at.any.sa_family)
        return false;
    to.length = (uint32_t)(length < sizeof to.at ? length : sizeof to.at);
    pf_copy(&to.at, at, to.length);
    return leads_outside(to.at.any.sa_family) && !is_inside(&to);
}

bool pf_outside_peer(int fd)
{
    struct socket_address peer = {.length = sizeof peer.at};
    struct ucred other = {0};
    uint32_t size = sizeof other;
    if (pf_sys(SYS_getpeername, fd, &peer.at, &peer.length))
        return false;
    if (peer.at.any.sa_family == AF_UNIX &&
        pf_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0)
        return other.pid != pf_sys(SYS_getpid);
    return leads_outside(peer.at.any.sa_family) && !is_inside(&peer);
}

bool pf_outside_is_connected(int fd, int listener)
{
    struct socket_address peer = {.length = sizeof peer.at}, own = {.length = sizeof own.at};
    return pf_sys(SYS_getpeername, fd, &peer.at, &peer.length) == 0 &&
           pf_sys(SYS_getsockname, listener, &own.at, &own.length) == 0 && same_place(&peer, &own);
}

bool pf_outside_has_both_ends(int fd, const struct stat *pipe)
{
    long direction = pf_sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
    for (int k = 0; k < PF_OWN_FDS; k++) {
        struct stat st;
        if (k != fd && pf_sys(SYS_fstat, k, &st) == 0 && st.st_ino == pipe->st_ino &&
            st.st_dev == pipe->st_dev && (pf_sys(SYS_fcntl, k, F_GETFL) & O_ACCMODE) != direction)
            return true;
    }
    return direction == O_RDWR;
}

void pf_outside_prepare(void)
{
    bool open[PF_OPEN_DESCRIPTORS];
    pf_open_descriptors(open);
    for (int fd = 0; fd < PF_OWN_FDS; fd++) {
        struct stat st;
        outside[fd] = 0;
        if (!open[fd] || pf_output_standard(fd) || pf_sys(SYS_fstat, fd, &st))
            continue;
        if (S_ISSOCK(st.st_mode) ? pf_outside_peer(fd)
                                 : S_ISFIFO(st.st_mode) && !pf_outside_has_both_ends(fd, &st))
            outside[fd] = st.st_ino;
    }
}

bool pf_outside_descriptor(int fd)
{
    struct stat st;
    return fd >= 0 && fd < PF_OWN_FDS && outside[fd] && pf_sys(SYS_fstat, fd, &st) == 0 &&
           st.st_ino == outside[fd];
}

void pf_outside_add(int fd)
{
    struct stat st;
    if (fd >= 0 && fd < PF_OWN_FDS && pf_sys(SYS_fstat, fd, &st) == 0)
        outside[fd] = st.st_ino;
}

bool pf_outside_reached(long number, const long a[6])
{
    switch (number) {
    case SYS_connect:
        return is_address_outside((const void *)a[1], (uint64_t)a[2]);
    case SYS_sendto:
        return pf_outside_descriptor((int)a[0]) ||
               is_address_outside((const void *)a[4], (uint64_t)a[5]);
    case SYS_sendmsg:
        return pf_outside_descriptor((int)a[0]) ||
               is_address_outside(((const struct msghdr *)a[1])->msg_name,
                                  ((const struct msghdr *)a[1])->msg_namelen);
    case SYS_sendmmsg:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
        return pf_outside_descriptor((int)a[0]);
    default:
        return false;
    }
}

void pf_outside_check(long number, const long a[6])
{
    if (!pf_channel_get()->allow_outside && pf_outside_reached(number, a))
        pf_diverged_private("using a connection to another process (--allow-outside permits it)");
}
