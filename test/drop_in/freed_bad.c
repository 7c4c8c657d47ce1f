// want: race
// text: heap-use-after-free
// A block is used after another thread has freed it, without order.
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static void *freer(void *arg)
{
    free(arg);
    order_point(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int *block = malloc(16);
    pthread_create(&t, NULL, freer, block);
    order_point(1);
    block[1] = 2;
    pthread_join(t, NULL);
    return 0;
}
