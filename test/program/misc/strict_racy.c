// Two threads write at the same instant: with --strict the race is always found.
// want: race shared at BOTH BOTH
// pf: --strict
// tsan: it may miss one
#include "order.h"
#include <pthread.h>

int shared;

static void *worker(void *arg)
{
    order_arrive();
    while (__atomic_load_n(&order_turn, __ATOMIC_RELAXED) != 2)
        ;
    shared = 1; /* BOTH */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
