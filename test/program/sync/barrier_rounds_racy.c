// Two rounds of a barrier with different threads: the first round is not ordered before the other.
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
    return arg;
}
static void *first_partner(void *arg)
{
    pthread_barrier_wait(&b);
    order_point(0);
    return arg;
}
static void *second(void *arg)
{
    order_wait(1);
    pthread_barrier_wait(&b);
    x = 2; /* SECOND */
    return arg;
}
static void *second_partner(void *arg)
{
    order_wait(1);
    pthread_barrier_wait(&b);
    return arg;
}

int main(void)
{
    void *(*run[])(void *) = {first, first_partner, second, second_partner};
    pthread_t t[4];
    pthread_barrier_init(&b, NULL, 2);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&b);
    return 0;
}
