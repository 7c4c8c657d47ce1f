// A thread waits for its own pipe, and for time. No other process can end this wait.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int x;

static void *tick(void *arg)
{
    int ends[2];
    if (pipe(ends))
        return NULL;
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    if (poll(&wait, 1, 1000) == 0)
        x = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, tick, NULL);
    x = 1;
    pthread_join(t, NULL);
    SHOW(x);
    return 0;
}
