// A read-write lock, locked twice for writing: the first write is after the unlock.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void *first(void *arg)
{
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_rwlock_wrlock(&l);
    x = 2; /* SECOND */
    pthread_rwlock_unlock(&l);
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
