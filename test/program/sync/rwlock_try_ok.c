// pthread_rwlock_trywrlock: both writes inside.
// want: none
#include "order.h"
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void *first(void *arg)
{
    assert(pthread_rwlock_trywrlock(&l) == 0);
    x = 1;
    pthread_rwlock_unlock(&l);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(pthread_rwlock_trywrlock(&l) == 0);
    x = 2;
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
