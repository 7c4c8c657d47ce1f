// A pipe whose end was sent in a message but is not used: no order.
// want: race shared at FIRST SECOND
#include "turns.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int shared, link_[2], fds[2];
static _Thread_local volatile long sink;

void before(void)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {{CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec v = {"x", 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    sink = pipe(fds);
    sink = socketpair(AF_UNIX, SOCK_STREAM, 0, link_);
    memcpy(CMSG_DATA(&control.header), &fds[0], sizeof(int));
    sink = sendmsg(link_[0], &m, 0);
}
void first(void)
{
    shared = 1; /* FIRST */
    sink = write(fds[1], "x", 1);
}
void second(void)
{
    char c;
    sink = recv(link_[1], &c, 1, 0);
    shared = 2; /* SECOND */
}
