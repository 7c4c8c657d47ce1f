// Redundant checks may be dropped, but not across a lock.
// want: race shared at AGAIN OTHER
#include "order.h"
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    shared = 2; /* AGAIN */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    pthread_mutex_lock(&lock);
    shared = 3; /* OTHER */
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
