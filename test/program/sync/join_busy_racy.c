// A join that fails creates no order.
// want: race x at WORKER MAIN
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int x;

static void *worker(void *arg)
{
    x = 1; /* WORKER */
    order_point(0);
    order_point(3);
    return arg;
}

int main(void)
{
    pthread_t t;
    const struct timespec past = {0, 0};
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    assert(pthread_tryjoin_np(t, NULL) == EBUSY);
    assert(pthread_timedjoin_np(t, NULL, &past) == ETIMEDOUT);
    assert(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    x = 2; /* MAIN */
    order_point(2);
    pthread_join(t, NULL);
    return 0;
}
