#include "order.h"
#include <pthread.h>
int shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *other(void *arg)
{
    pthread_mutex_lock(&m);
    shared = 1;
    order_arrive();
    pthread_mutex_unlock(&m);
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
