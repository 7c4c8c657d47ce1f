// want: race
// text: As if synchronized via sleep:
// text: #0 usleep
// A thread sleeps in the hope that another one has written meanwhile.
#include "order.h"
#include <pthread.h>
#include <unistd.h>

int shared;

static void *writer(void *arg)
{
    shared = 1;
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    order_point(1);
    usleep(1);
    shared = 2;
    pthread_join(t, NULL);
    return 0;
}
