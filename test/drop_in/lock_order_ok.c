// want: none
// All threads take the mutexes in one order; an attempt to lock in the other order does not wait; a
// recursive mutex is taken again.
#define _GNU_SOURCE
#include "lock_order.h"

pthread_mutex_t a = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *try_backward(void *arg)
{
    pthread_mutex_lock(&b);
    if (pthread_mutex_trylock(&a) == 0)
        pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_one(forward);
    run_one(try_backward);
    run_one(forward);
    return 0;
}
