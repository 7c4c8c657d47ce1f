// A thread that still runs at exit races with atexit handlers.
// want: race shared at THREAD ATEXIT
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

int shared;

static void at_end(void) { shared = 2; /* ATEXIT */ }

static void *worker(void *arg)
{
    shared = 1; /* THREAD */
    order_point(0);
    for (;;)
        order_yield();
    return arg;
}

int main(void)
{
    pthread_t t;
    atexit(at_end);
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    return 0;
}
