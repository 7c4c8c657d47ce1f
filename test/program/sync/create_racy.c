// The creator writes after the creation.
// want: race x at MAIN WORKER
#include "order.h"
#include <pthread.h>

int x;

static void *worker(void *arg)
{
    order_point(1);
    x = 2; /* WORKER */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    x = 1; /* MAIN */
    order_point(0);
    pthread_join(t, NULL);
    return 0;
}
