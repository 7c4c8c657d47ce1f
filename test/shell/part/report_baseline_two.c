#include "order.h"
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int first, second;
void *other(void *arg)
{
    pthread_mutex_lock(&m);
    *(int *)arg = 1;
    pthread_mutex_unlock(&m);
    order_arrive();
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, other, argc > 1 ? &second : &first);
    order_wait(1);
    if (argc > 1)
        second = 2;
    else
        first = 3;
    pthread_join(t, 0);
    return 0;
}
