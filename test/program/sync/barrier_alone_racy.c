// A barrier for a count of one blocks no thread and creates no order.
// want: race x at FIRST SECOND
// tsan: it keeps one clock for all rounds of a barrier
#include "order.h"
#include <pthread.h>

pthread_barrier_t b;
int x;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    pthread_barrier_wait(&b);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_barrier_wait(&b);
    x = 2; /* SECOND */
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_barrier_init(&b, NULL, 1);
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    pthread_barrier_destroy(&b);
    return 0;
}
