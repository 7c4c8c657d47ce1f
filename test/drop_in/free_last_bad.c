// want: race
// notext: heap-use-after-free
// One thread frees a block after another one has used it; nothing orders the two.
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static void *user(void *arg)
{
    *(int *)arg = 1;
    order_point(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int *block = malloc(16);
    pthread_create(&t, NULL, user, block);
    order_point(1);
    free(block);
    pthread_join(t, NULL);
    return 0;
}
