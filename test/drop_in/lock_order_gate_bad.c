// want: deadlock suspicious
// One of the threads takes the locks both with and without the gate, and with it first.
#include "lock_order.h"

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *forward(void *arg)
{
    pthread_mutex_lock(&gate);
    both(&a, &b);
    pthread_mutex_unlock(&gate);
    both(&a, &b);
    return arg;
}

static void *backward(void *arg)
{
    pthread_mutex_lock(&gate);
    both(&b, &a);
    pthread_mutex_unlock(&gate);
    return arg;
}

int main(void)
{
    run_one(forward);
    run_one(backward);
    return 0;
}
