// want: race
// notext: As if synchronized via sleep
// A thread sleeps before the other one writes: the sleep has nothing to do with the race.
#include "order.h"
#include <pthread.h>
#include <unistd.h>

int shared;

static void *writer(void *arg)
{
    order_point(1);
    shared = 1;
    order_point(2);
    return arg;
}

int main(void)
{
    pthread_t t;
    usleep(1);
    pthread_create(&t, NULL, writer, NULL);
    order_point(0);
    order_point(3);
    shared = 2;
    pthread_join(t, NULL);
    return 0;
}
