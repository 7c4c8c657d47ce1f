// The join is after the access.
// want: race shared at WORKER MAIN
#include "order.h"
#include <pthread.h>

int shared;

static void *worker(void *arg)
{
    shared++; /* WORKER */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    shared = 1;
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    shared++; /* MAIN */
    pthread_join(t, NULL);
    return 0;
}
