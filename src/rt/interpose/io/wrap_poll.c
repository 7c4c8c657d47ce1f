/*
 * wrap_poll.c - poll, select and epoll: a descriptor that is ready means that something was sent.
 */
#include "wrap_fd.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static void polled(struct pf_call *c, struct pollfd *p, nfds_t n, int ready)
{
    uint32_t reads = pf_call_id(c, PF_NATIVE_READ), writes = pf_call_id(c, PF_NATIVE_WRITE);
    for (nfds_t i = 0; i < n; i++) {
        pf_runtime_read(c->t, &p[i], offsetof(struct pollfd, revents), reads);
        if (ready < 0)
            continue;
        pf_runtime_write(c->t, &p[i].revents, sizeof p->revents, writes);
        if (p[i].revents & (POLLIN | POLLPRI | POLLRDHUP | POLLHUP | POLLERR))
            pf_fd_receive(c->t, p[i].fd);
    }
}
#define POLLS(fn, parameters, call)                                                                \
    PF_INTERPOSE_BLOCKING(int, fn, parameters, call, , polled(&c, p, n, r))
int __poll_chk(struct pollfd *p, nfds_t n, int wait, size_t room);
POLLS(poll, (struct pollfd * p, nfds_t n, int wait), PF_REAL(poll)(p, n, wait))
POLLS(ppoll, (struct pollfd * p, nfds_t n, const struct timespec *wait, const sigset_t *mask),
      PF_REAL(ppoll)(p, n, wait, mask))
POLLS(__poll_chk, (struct pollfd * p, nfds_t n, int wait, size_t room),
      PF_REAL(__poll_chk)(p, n, wait, room))

static void selected(struct pf_call *c, fd_set *s, int n, int ready, bool incoming)
{
    if (!s)
        return;
    pf_runtime_read(c->t, s, (size_t)(n + 7) / 8, pf_call_id(c, PF_NATIVE_READ));
    if (ready < 0)
        return;
    pf_runtime_write(c->t, s, (size_t)(n + 7) / 8, pf_call_id(c, PF_NATIVE_WRITE));
    for (int fd = 0; incoming && ready > 0 && fd < n; fd++)
        if (__FDS_BITS(s)[fd / __NFDBITS] >> fd % __NFDBITS & 1)
            pf_fd_receive(c->t, fd);
}
#define SELECTS(fn, parameters, call)                                                              \
    PF_INTERPOSE_BLOCKING(int, fn, parameters, call, , selected(&c, in, n, r, true);               \
                          selected(&c, out, n, r, false); selected(&c, other, n, r, true))
SELECTS(select, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *wait),
        PF_REAL(select)(n, in, out, other, wait))
SELECTS(pselect,
        (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *wait,
         const sigset_t *mask),
        PF_REAL(pselect)(n, in, out, other, wait, mask))

PF_FD_MAKES(epoll_create, (int size), PF_REAL(epoll_create)(size), PF_FD_EPOLL)
PF_FD_MAKES(epoll_create1, (int flags), PF_REAL(epoll_create1)(flags), PF_FD_EPOLL)

PF_INTERPOSE(int, epoll_ctl, (int epoll, int op, int fd, struct epoll_event *event))
{
    PF_CALL(c, epoll_ctl);
    if (c.t) {
        if (event && op != EPOLL_CTL_DEL)
            PF_FD_READS(c, event, sizeof *event);
        pf_fd_use(&c, epoll);
        pf_fd_use(&c, fd);
        pf_fd_send(c.t, epoll);
        if (op == EPOLL_CTL_ADD)
            pf_fd_epoll_add(epoll, fd);
    }
    int r = PF_REAL(epoll_ctl)(epoll, op, fd, event);
    pf_call_keep_errno(&c);
    return r;
}
static void waited(struct pf_call *c, int epoll, const struct epoll_event *events, int n)
{
    if (n <= 0)
        return;
    pf_fd_epoll_returned(c->t, epoll);
    PF_FD_WRITES(*c, events, (size_t)n * sizeof *events);
}
#define WAITS(fn, parameters, call)                                                                \
    PF_INTERPOSE_BLOCKING(int, fn, parameters, call, pf_fd_use(&c, epoll),                         \
                          waited(&c, epoll, events, r))
WAITS(epoll_wait, (int epoll, struct epoll_event *events, int max, int wait),
      PF_REAL(epoll_wait)(epoll, events, max, wait))
WAITS(epoll_pwait, (int epoll, struct epoll_event *events, int max, int wait, const sigset_t *mask),
      PF_REAL(epoll_pwait)(epoll, events, max, wait, mask))
WAITS(epoll_pwait2,
      (int epoll, struct epoll_event *events, int max, const struct timespec *wait,
       const sigset_t *mask),
      PF_REAL(epoll_pwait2)(epoll, events, max, wait, mask))
