// A clock read lock: readers are not ordered with each other, so they must not write.
// want: race x at FIRST SECOND
// tsan: it does not support the clock variant
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
const struct timespec far = {4000000000, 0};
int x;

static void *first(void *arg)
{
    assert(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &far) == 0);
    x = 1; /* FIRST */
    pthread_rwlock_unlock(&l);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &far) == 0);
    x = 2; /* SECOND */
    pthread_rwlock_unlock(&l);
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
