// A lock that fails creates no order.
// want: race x at FIRST SECOND
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    pthread_mutex_lock(&m);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    x = 2; /* SECOND */
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
