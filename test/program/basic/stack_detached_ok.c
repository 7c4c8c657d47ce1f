// Stacks of detached threads are reused without any join.
// want: none
#include "order.h"
#include <pthread.h>

static void *worker(void *arg)
{
    volatile int local[256];
    for (int i = 0; i < 256; i++)
        local[i] = i;
    order_arrive();
    return arg;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 50; i++) {
        pthread_t t;
        pthread_create(&t, &attr, worker, NULL);
        order_wait(i + 1);
    }
    return 0;
}
