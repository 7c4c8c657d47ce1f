// An error-checking mutex, whose second lock fails: the first write is after the unlock.
// want: race x at FIRST SECOND
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;
int x;

static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_unlock(&m) == EPERM);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_mutex_lock(&m);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    x = 2; /* SECOND */
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_unlock(&m) == EPERM);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&m);
    return 0;
}
