// Signalling creates no order: only the mutex does.
// want: race x at FIRST SECOND
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
const struct timespec past;
int x;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    pthread_cond_broadcast(&c);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_mutex_lock(&m);
    assert(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT);
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
