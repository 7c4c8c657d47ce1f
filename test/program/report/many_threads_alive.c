// More live threads than slots: the program keeps running, and the result says "incomplete".
// levels: O1
// case: run
// err: incomplete
#include "order.h"
#include <pthread.h>
enum { COUNT = 1200 };
static pthread_t thread[COUNT];
static void *worker(void *arg)
{
    order_arrive();
    order_wait(COUNT);
    return arg;
}
int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    for (int i = 0; i < COUNT; i++)
        if (pthread_create(&thread[i], &attr, worker, NULL))
            return 1;
    for (int i = 0; i < COUNT; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
