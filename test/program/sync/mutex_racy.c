// A mutex: the first write is after the unlock.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_mutex_lock(&m);
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
