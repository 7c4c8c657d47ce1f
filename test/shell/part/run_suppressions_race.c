#include "order.h"
#include <pthread.h>
int shared;
__attribute__((noinline)) void store(void) { shared = 1; }
void *other(void *arg)
{
    store();
    order_arrive();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    order_wait(1);
    store();
    pthread_join(t, 0);
    return 3;
}
