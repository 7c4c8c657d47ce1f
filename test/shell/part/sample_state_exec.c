#include "order.h"
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static void one(int *at) { ++*at; }
__attribute__((noinline)) static void other(int *at) { ++*at; }
static int a, b;
static void *run(void *arg)
{
    order_wait(1);
    other(&b);
    order_point(1);
    order_wait(3);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1)
        execl("./no such program", "", (char *)NULL);
    pthread_create(&t, NULL, run, NULL);
    order_point(0);
    order_wait(2);
    one(&a);
    if (argc > 1)
        execl("./no such program", "", (char *)NULL);
    order_point(2);
    pthread_join(t, NULL);
    return 0;
}
