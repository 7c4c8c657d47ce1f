// A writer locks between two read locks of a reader: it is ordered after the first, not after the
// second.
// want: race x at AGAIN:write WRITER:write
#include "order.h"
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

static void *first(void *arg)
{
    pthread_rwlock_rdlock(&l);
    x = 1;
    y = 1;
    pthread_rwlock_unlock(&l);
    order_point(0);
    order_point(3);
    pthread_rwlock_rdlock(&l);
    x = 2; /* AGAIN */
    pthread_rwlock_unlock(&l);
    order_point(4);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    order_point(2);
    order_point(5);
    y = 3;
    x = 3; /* WRITER */
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
