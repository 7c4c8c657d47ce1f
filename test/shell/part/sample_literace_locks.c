#include "order.h"
#include <pthread.h>
#include <stdlib.h>
volatile int at;
static int rounds;
pthread_mutex_t gone = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void touch(int n)
{
    for (int i = 0; i < n; i++)
        at++;
}
__attribute__((noinline)) static void caller(int n)
{
    pthread_mutex_lock(&gone);
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&gone);
    touch(n);
    pthread_mutex_unlock(&held);
}
static void *other(void *arg)
{
    order_wait(1);
    touch(rounds);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    rounds = atoi(argv[1]);
    pthread_create(&t, NULL, other, NULL);
    caller(rounds);
    order_arrive();
    pthread_join(t, NULL);
    return 0;
}
