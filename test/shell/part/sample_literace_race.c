#include "order.h"
#include <pthread.h>
#include <stdlib.h>
int at[64];
__attribute__((noinline)) static void touch(int i)
{
    at[i]++;
}
__attribute__((noinline)) static void caller(int i, int calls)
{
    for (int k = 0; k < calls; k++)
        touch(63);
    if (i >= 0)
        touch(i);
}
static int calls, warm;
static void *other(void *arg)
{
    order_wait(1);
    caller(0, calls);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    calls = atoi(argv[1]);
    warm = atoi(argv[2]);
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < warm; i++)
        caller(-1, 0);
    caller(0, 0);
    order_arrive();
    pthread_join(t, NULL);
    return 0;
}
