/* inside_waits.c - see inside_waits.h. */
#define _GNU_SOURCE
#include "inside_waits.h"
#include "open_descriptors.h"
#include "outside_calls.h"
#include "scheduler.h"
#include "stream_ring.h"
#include "syscalls.h"
#include "textbuf.h"
#include "waits.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define DEPTH 3 /* of epoll descriptors in epoll descriptors */

/* "/proc/self/fdinfo/N" */
static void info_path(int fd, char path[40])
{
    static const char folder[] = "/proc/self/fdinfo/";
    struct pf_fd_link link = pf_fd_link(fd);
    size_t at = sizeof folder - 1, digits = sizeof "/proc/self/fd/" - 1;
    pf_copy(path, folder, at);
    for (; link.path[digits] && at < 39; digits++)
        path[at++] = link.path[digits];
    path[at] = 0;
}

static bool is_inside(int fd, unsigned depth);

/* True if all descriptors of the epoll descriptor are inside: lines "tfd: N ..." of its fdinfo. */
static bool epoll_is_inside(int fd, unsigned depth)
{
    static char buffers[DEPTH][8192];
    char path[40], *text = buffers[depth];
    info_path(fd, path);
    long file = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n = 0, got = 0;
    if (file < 0)
        return false;
    while (n < (long)sizeof buffers[0] - 1 &&
           (got = pf_sys(SYS_read, file, text + n, sizeof buffers[0] - 1 - (size_t)n)) > 0)
        n += got;
    pf_sys(SYS_close, file);
    if (got || n >= (long)sizeof buffers[0] - 1)
        return false; /* there are more than fit */
    text[n] = 0;
    for (const char *p = text; *p; p++) {
        if ((p != text && p[-1] != '\n') || p[0] != 't' || p[1] != 'f' || p[2] != 'd')
            continue;
        int number = 0;
        for (p += 3; *p == ':' || *p == ' ' || *p == '\t'; p++)
            ;
        for (; *p >= '0' && *p <= '9'; p++)
            number = number * 10 + (*p - '0');
        if (!is_inside(number, depth + 1))
            return false;
    }
    return true;
}

/* True if a socket of this process is connected to the listening socket. */
static bool has_client_inside(int listener)
{
    bool open[PF_OPEN_DESCRIPTORS];
    pf_open_descriptors(open);
    for (int fd = 0; fd < PF_OPEN_DESCRIPTORS; fd++)
        if (open[fd] && fd != listener && pf_outside_is_connected(fd, listener))
            return true;
    return false;
}

static bool socket_is_inside(int fd)
{
    int listens = 0;
    uint32_t size = sizeof listens;
    if (pf_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
        return has_client_inside(fd);
    struct sockaddr_storage peer;
    size = sizeof peer;
    return pf_sys(SYS_getpeername, fd, &peer, &size) == 0 && !pf_outside_peer(fd);
}

static bool is_inside(int fd, unsigned depth)
{
    struct stat st;
    char name[64];
    if (fd < 0)
        return true; /* poll ignores it */
    if (pf_sys(SYS_fstat, fd, &st))
        return false;
    if (S_ISSOCK(st.st_mode))
        return socket_is_inside(fd);
    if (S_ISFIFO(st.st_mode))
        return pf_outside_has_both_ends(fd, &st);
    struct pf_fd_link link = pf_fd_link(fd);
    long n = pf_sys(SYS_readlink, link.path, name, sizeof name - 1);
    name[n > 0 ? n : 0] = 0;
    if (pf_str_same(name, "anon_inode:[eventfd]"))
        return true;
    return depth < DEPTH && pf_str_same(name, "anon_inode:[eventpoll]") &&
           epoll_is_inside(fd, depth);
}

bool pf_waits_are_inside(void)
{
    struct pf_wait w;
    const struct pf_channel *channel = pf_channel_get();
    if (!channel || !channel->inside || pf_waits_shared())
        return false;
    for (struct pf_context *c = NULL; (c = pf_sched_next_waiter(c, &w));) {
        const struct pf_syscall_state *x = pf_syscall_state_of(c);
        if (w.kind == PF_WAIT_TIME)
            continue;
        if (x->repeat || w.kind == PF_WAIT_CHILD || w.kind == PF_WAIT_SIGNAL)
            return false;
        for (uint32_t i = 0; i < x->set_size; i++)
            if (!is_inside(x->set[i].fd, 0))
                return false;
    }
    return true;
}
