// A variable-length array on the stack of one thread, passed to another.
// want: race at THREAD MAIN
// tsan: not found at -O0
#include "order.h"
#include <pthread.h>

volatile int length = 10;

static void *worker(void *arg)
{
    ((int *)arg)[7] = 1; /* THREAD */
    order_point(0);
    return NULL;
}

int main(void)
{
    int lent[length];
    for (int i = 0; i < length; i++)
        lent[i] = 0;
    pthread_t t;
    pthread_create(&t, NULL, worker, lent);
    order_point(1);
    int sum = 0;
    for (int i = 0; i < length; i++)
        sum += lent[i]; /* MAIN */
    pthread_join(t, NULL);
    return sum != 1;
}
