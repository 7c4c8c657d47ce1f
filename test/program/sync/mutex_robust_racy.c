// The dead owner of a robust mutex wrote before it locked, the next owner writes before it locks.
// want: race x at FIRST SECOND
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;
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
    x = 2; /* SECOND */
    assert(pthread_mutex_lock(&m) == EOWNERDEAD);
    pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&m);
    return 0;
}
