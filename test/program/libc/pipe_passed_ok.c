// A pipe whose ends are sent in a message and used under their new descriptor numbers.
// want: none
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int there, back, link_[2], to[2], from[2];

static void pass(int *fds, int send)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
    char c = 'x';
    memset(&control, 0, sizeof control);
    struct iovec v = {&c, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (send) {
        control.header = (struct cmsghdr){CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), fds, 2 * sizeof(int));
        assert(sendmsg(link_[0], &m, 0) == 1);
    } else {
        assert(recvmsg(link_[1], &m, 0) == 1);
        memcpy(fds, CMSG_DATA(&control.header), 2 * sizeof(int));
    }
}
static void *work(void *arg)
{
    char c;
    int fds[2];
    pass(fds, 0);
    assert(read(fds[0], &c, 1) == 1);
    there++;
    back = 1;
    assert(write(fds[1], "y", 1) == 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, link_) && !pipe(to) && !pipe(from));
    pthread_create(&t, NULL, work, NULL);
    pass((int[]){to[0], from[1]}, 1);
    there = 1;
    assert(write(to[1], "x", 1) == 1);
    assert(read(from[0], &c, 1) == 1);
    back++;
    pthread_join(t, NULL);
    return there + back != 4;
}
