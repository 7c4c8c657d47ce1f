// The thread of the first access has ended, and other threads have reused its slot.
// want: race shared at EARLY LATE
#include "order.h"
#include <pthread.h>

int shared;

static void *early(void *arg)
{
    shared = 1; /* EARLY */
    order_point(0);
    return arg;
}

static void *idle(void *arg) { return arg; }

static void *late(void *arg)
{
    order_point(1);
    shared = 2; /* LATE */
    order_point(2);
    return arg;
}

int main(void)
{
    pthread_t b, a, t;
    pthread_create(&b, NULL, late, NULL);
    pthread_create(&a, NULL, early, NULL);
    pthread_join(a, NULL);
    for (int i = 0; i < 1500; i++) {
        pthread_create(&t, NULL, idle, NULL);
        pthread_join(t, NULL);
    }
    pthread_join(b, NULL);
    return 0;
}
