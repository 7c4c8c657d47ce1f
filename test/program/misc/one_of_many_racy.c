// A thousand correct variables, and one with a race.
// want: race at TOUCH ALONE
#include "order.h"
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared[1000];

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 1000; i++)
        shared[i]++; /* TOUCH */
    pthread_mutex_unlock(&lock);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    shared[777]++; /* ALONE */
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 1000; i++)
        shared[i]++;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
