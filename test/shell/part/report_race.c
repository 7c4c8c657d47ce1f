#include "order.h"
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared;
void *other(void *arg)
{
    pthread_mutex_lock(&m);
    shared = 1;
    pthread_mutex_unlock(&m);
    order_arrive();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    order_wait(1);
    shared = 2;
    pthread_join(t, 0);
    return 0;
}
