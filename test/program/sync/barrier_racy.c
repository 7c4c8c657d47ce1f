// Two departures of one round are not ordered.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

pthread_barrier_t b;
int x;

static void *first(void *arg)
{
    pthread_barrier_wait(&b);
    x = 1; /* FIRST */
    order_point(0);
    pthread_barrier_wait(&b);
    return arg;
}

static void *second(void *arg)
{
    pthread_barrier_wait(&b);
    order_point(1);
    x = 2; /* SECOND */
    pthread_barrier_wait(&b);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    pthread_barrier_destroy(&b);
    return 0;
}
