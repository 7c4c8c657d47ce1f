// want: race
// text: heap-use-after-free
// One thread uses a block after another one has freed it; nothing orders the two.
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
