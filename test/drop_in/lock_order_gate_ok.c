// want: none
// tsan: does not know that the outer lock keeps the threads apart
// Two threads take two mutexes in opposite order, but only while they hold a third one.
#include "lock_order.h"

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    pthread_mutex_unlock(&gate);
}

static void *forward(void *arg)
{
    both(&a, &b);
    return arg;
}

static void *backward(void *arg)
{
    both(&b, &a);
    return arg;
}

int main(void)
{
    run_one(forward);
    run_one(backward);
    return 0;
}
