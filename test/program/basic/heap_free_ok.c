// A block is freed by another thread than the one that allocated it, after the join.
// want: none
#include <pthread.h>
#include <stdlib.h>

int *block;

static void *maker(void *arg)
{
    block = malloc(400);
    for (int i = 0; i < 100; i++)
        block[i] = i;
    return arg;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, maker, NULL);
        pthread_join(t, NULL);
        free(block);
    }
    return 0;
}
