// Writes of a handler race with other threads.
// want: race shared at HANDLER MAIN
#include "order.h"
#include <pthread.h>
#include <signal.h>

int shared;

static void handler(int sig) { shared = sig; /* HANDLER */ }

static void *worker(void *arg)
{
    raise(SIGUSR1);
    order_point(0);
    return arg;
}

int main(void)
{
    signal(SIGUSR1, handler);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    shared = 2; /* MAIN */
    pthread_join(t, NULL);
    return 0;
}
