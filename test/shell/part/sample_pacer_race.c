#include "order.h"
#include <pthread.h>
int shared, guarded;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void touch(void)
{
    pthread_mutex_lock(&m);
    guarded++;
    pthread_mutex_unlock(&m);
    shared++;
}
static void *other(void *arg)
{
    order_wait(1);
    touch();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    touch();
    order_arrive();
    pthread_join(t, NULL);
    return 0;
}
