// pthread_mutex_clocklock: the first write is after the unlock.
// want: race x at FIRST SECOND
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
const struct timespec far = {4000000000, 0};
int x;

static void *first(void *arg)
{
    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &far) == 0);
    pthread_mutex_unlock(&m);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &far) == 0);
    x = 2; /* SECOND */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
