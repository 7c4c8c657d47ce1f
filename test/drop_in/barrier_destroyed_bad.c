// want: race
// A barrier is destroyed while another thread may still arrive.
#include "order.h"
#include <pthread.h>

pthread_barrier_t barrier;

static void *user(void *arg)
{
    pthread_barrier_wait(&barrier);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_create(&t, NULL, user, NULL);
    order_point(1);
    pthread_barrier_destroy(&barrier);
    pthread_join(t, NULL);
    return 0;
}
