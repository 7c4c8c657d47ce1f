// The last of many threads races, after the slots of the others were reused many times.
// want: race shared at EARLY LATE
// tsan: its slots are preempted, and the first access is lost
#include "order.h"
#include <pthread.h>

int shared;

static void *early(void *arg)
{
    shared = 1; /* EARLY */
    order_point(0);
    order_point(2);
    return arg;
}

static void *idle(void *arg) { return arg; }

static void *late(void *arg)
{
    shared = 2; /* LATE */
    return arg;
}

int main(void)
{
    pthread_t first, t;
    pthread_create(&first, NULL, early, NULL);
    order_point(1);
    for (int i = 0; i < 2500; i++) {
        pthread_create(&t, NULL, idle, NULL);
        pthread_join(t, NULL);
    }
    pthread_create(&t, NULL, late, NULL);
    pthread_join(t, NULL);
    order_wait(2);
    pthread_join(first, NULL);
    return 0;
}
