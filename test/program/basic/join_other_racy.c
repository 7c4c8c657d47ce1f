// Joining one thread does not order another one.
// want: race shared at WORKER MAIN
#include "order.h"
#include <pthread.h>

int shared;

static void *worker(void *arg)
{
    shared = 1; /* WORKER */
    order_point(0);
    return arg;
}

static void *idle(void *arg) { return arg; }

int main(void)
{
    pthread_t t, other;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&other, NULL, idle, NULL);
    pthread_join(other, NULL);
    order_point(1);
    shared = 2; /* MAIN */
    pthread_join(t, NULL);
    return 0;
}
