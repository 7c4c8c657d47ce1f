// main returns while its threads run, and joins none of them. The process ends when they have
// ended; one of them sleeps in between.
// want: race x at FIRST SECOND
// want: race y at THREAD HANDLER
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int x, y;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}
static void *second(void *arg)
{
    order_wait(1);
    usleep(1000);
    x = 2; /* SECOND */
    y = 1; /* THREAD */
    return arg;
}
static void at_exit(void) { y = 2; /* HANDLER */ }

int main(void)
{
    pthread_t t;
    atexit(at_exit);
    pthread_create(&t, NULL, second, NULL);
    pthread_create(&t, NULL, first, NULL);
    return 0;
}
