// A reader locks repeatedly, other readers in between; a writer is ordered after all of it.
// want: none
#include "order.h"
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x[3];

static void *first(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_rdlock(&l);
        x[0]++;
        order_point(2 * i);
        pthread_rwlock_unlock(&l);
        order_wait(2 * i + 2);
    }
    order_point(6);
    return arg;
}

static void *second(void *arg)
{
    for (int i = 0; i < 3; i++) {
        order_point(2 * i + 1);
        pthread_rwlock_rdlock(&l);
        x[1]++;
        pthread_rwlock_unlock(&l);
    }
    order_point(7);
    return arg;
}

static void *third(void *arg)
{
    order_point(8);
    pthread_rwlock_wrlock(&l);
    x[2] = x[0] + x[1];
    x[0] = x[1] = 0;
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return x[2] != 6;
}
