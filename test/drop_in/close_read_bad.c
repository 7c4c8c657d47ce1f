// want: descriptor-race
// text: #0 socketpair
// One thread closes a socket from which another one reads; nothing orders the two.
#include "order.h"
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int fds[2];

static void *reader(void *arg)
{
    char byte;
    order_point(0);
    if (recv(fds[0], &byte, 1, MSG_DONTWAIT) > 0)
        _exit(3);
    order_point(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
        return 3;
    pthread_create(&t, NULL, reader, NULL);
    order_point(2);
    close(fds[0]);
    pthread_join(t, NULL);
    close(fds[1]);
    return 0;
}
