// The end of a detached thread creates no order.
// want: race x at WORKER MAIN
#include "order.h"
#include <pthread.h>

int x;

static void *worker(void *arg)
{
    x = 1; /* WORKER */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    order_point(1);
    x = 2; /* MAIN */
    return 0;
}
