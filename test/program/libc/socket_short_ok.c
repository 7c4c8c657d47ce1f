// An address that does not fit is cut off: nothing behind the buffer is written.
// flags: -D_GNU_SOURCE
// want: none
#include "turns.h"
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 4 };
struct cut {
    char address[ROOM];
    char after[28];
} accepted, local, peer, from, message, messages;
static struct sockaddr *cut_address(struct cut *c) { return (struct sockaddr *)c->address; }

static void need(int holds)
{
    if (!holds)
        abort();
}

static int bound(int type, struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, type, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    need(!bind(fd, (struct sockaddr *)at, size) && !getsockname(fd, (struct sockaddr *)at, &size));
    return fd;
}

static void connections(void)
{
    struct sockaddr_in at;
    socklen_t size = ROOM;
    int listener = bound(SOCK_STREAM, &at), fd = socket(AF_INET, SOCK_STREAM, 0);
    need(!listen(listener, 1) && !connect(fd, (struct sockaddr *)&at, sizeof at));
    int other = accept(listener, cut_address(&accepted), &size);
    need(other >= 0 && size == sizeof at);
    size = ROOM;
    need(!getsockname(fd, cut_address(&local), &size) && size == sizeof at);
    size = ROOM;
    need(!getpeername(fd, cut_address(&peer), &size) && size == sizeof at);
    close(other);
    close(fd);
    close(listener);
}

static void datagrams(void)
{
    struct sockaddr_in at;
    char c = 1;
    socklen_t size = ROOM;
    int fd = bound(SOCK_DGRAM, &at);
    struct iovec part = {&c, 1};
    struct msghdr one = {
        .msg_name = message.address, .msg_namelen = ROOM, .msg_iov = &part, .msg_iovlen = 1};
    struct mmsghdr many = {.msg_hdr = one};
    many.msg_hdr.msg_name = messages.address;
    for (int i = 0; i < 3; i++)
        need(sendto(fd, &c, 1, 0, (struct sockaddr *)&at, sizeof at) == 1);
    need(recvfrom(fd, &c, 1, 0, cut_address(&from), &size) == 1 && size == sizeof at);
    need(recvmsg(fd, &one, 0) == 1 && one.msg_namelen == sizeof at);
    need(recvmmsg(fd, &many, 1, 0, NULL) == 1 && many.msg_hdr.msg_namelen == sizeof at);
    close(fd);
}

void first(void)
{
    connections();
    datagrams();
}
void second(void)
{
    struct cut *all[] = {&accepted, &local, &peer, &from, &message, &messages};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        memset(all[i]->after, 1, sizeof all[i]->after);
}
