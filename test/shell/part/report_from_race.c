#include "order.h"
#include <pthread.h>
int shared, other;
void *worker(void *arg)
{
    shared = 1;
    other = 1;
    order_arrive();
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    order_wait(1);
    if (argc > 1)
        other = 2;
    else
        shared = 2;
    pthread_join(t, 0);
    return 0;
}
