// preadv2 and pwritev2 at offset -1 are readv and writev: accesses before the write are ordered
// before those after the read.
// want: none
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

int shared, fds[2];
static void *work(void *arg)
{
    struct iovec v = {"x", 1};
    shared = 1;
    if (pwritev2(fds[1], &v, 1, -1, 0) != 1)
        shared = 3;
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    struct iovec v = {&c, 1};
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    if (preadv2(fds[0], &v, 1, -1, 0) != 1)
        return 1;
    shared++;
    pthread_join(t, NULL);
    return shared != 2;
}
