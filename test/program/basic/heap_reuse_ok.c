// The allocator gives the same memory to one thread after another: the old accesses do not count.
// want: none
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg)
{
    int turn = *(int *)arg;
    order_point(2 * turn);
    for (int k = 0; k < 20; k++) {
        char *block = malloc(100 + k);
        for (int i = 0; i < 100 + k; i++)
            block[i] = (char)i;
        block = realloc(block, 2000);
        block[1999] = 1;
        free(block);
    }
    order_point(2 * turn + 1);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int turn[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, &turn[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
