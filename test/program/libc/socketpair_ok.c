// The two directions of a socketpair, with send, recv, sendmsg and recvmsg.
// want: none
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

int there, back, fds[2];
static void *work(void *arg)
{
    char c;
    if (recv(fds[1], &c, 1, 0) == 1)
        back = there + 1;
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    sendmsg(fds[1], &m, 0);
    return arg;
}
int main(void)
{
    pthread_t t;
    char c = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    there = 1;
    send(fds[0], &c, 1, 0);
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    if (recvmsg(fds[0], &m, 0) != 1)
        return 1;
    back++;
    pthread_join(t, NULL);
    return back != 3;
}
