// want: deadlock suspicious
// text: Cycle in lock order graph: M0 (
// text: Mutex M1 acquired here while holding mutex M0 in thread T1:
// text: Mutex M0 acquired here while holding mutex M1 in thread T2:
// text: Mutex M0 previously acquired by the same thread here:
// Two threads take two mutexes in opposite order, one after the other.
#include "lock_order.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *backward(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_one(forward);
    run_one(backward);
    return 0;
}
