#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static void one(int *at) { ++*at; }
__attribute__((noinline)) static void other(int *at) { ++*at; }
static int a, b;
static void *run(void *arg)
{
    for (int i = 0; i < 300; i++)
        other(&b);
    order_arrive();
    order_wait(2);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    for (int i = 0; i < 300; i++)
        one(&a);
    order_arrive();
    pthread_join(t, NULL);
    return getenv("HOLD") ? getchar() != EOF : 0;
}
