#include "order.h"
#include <pthread.h>
#include <stdio.h>
int shared;
static void *other(void *arg)
{
    shared = 1;
    order_arrive();
    return arg;
}
int main(void)
{
    pthread_t t;
    puts("begun");
    fflush(stdout);
    pthread_create(&t, NULL, other, NULL);
    order_wait(1);
    shared = 2;
    pthread_join(t, NULL);
    puts("ended");
    return 3;
}
