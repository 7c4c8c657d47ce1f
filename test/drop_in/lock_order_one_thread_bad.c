// want: deadlock suspicious
// One thread takes the mutexes in both orders: two threads that do this can deadlock.
#include "lock_order.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

int main(void)
{
    take(&a, &b);
    take(&b, &a);
    return 0;
}
