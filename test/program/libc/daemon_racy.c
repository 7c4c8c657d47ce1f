// A daemon: the parent ends at once, the child goes on and is watched.
// want: race shared at A B
#define _GNU_SOURCE
#include "order.h"
#include <pthread.h>
#include <unistd.h>

int shared, done[2];
static void *work(void *arg)
{
    shared = 1; /* A */
    order_point(0);
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    /* A first child stays and waits, so that the test does not end before the daemon. */
    if (pipe(done))
        return 1;
    pid_t child = fork();
    if (child) {
        close(done[1]);
        return read(done[0], &c, 1) != 0;
    }
    if (daemon(1, 1))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    order_point(1);
    shared = 2; /* B */
    pthread_join(t, NULL);
    return 0;
}
