// Several threads grow a block under a lock, in place or not.
// want: none
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *block;
size_t size;

static void *work(void *arg)
{
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&m);
        block = realloc(block, ++size * sizeof *block);
        block[size - 1] = block[0] + (int)size;
        pthread_mutex_unlock(&m);
        free(malloc(32));
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    block = reallocarray(block, 2 * size, sizeof *block);
    block = realloc(block, 8);
    free(block);
    return size != 900;
}
