// want: double-free
// options: quarantine_size_mb=1
// tsan: does not know the option
// A block is freed twice, by two threads, ordered by a join.
#include <pthread.h>
#include <stdlib.h>

int *block;

static void *user(void *arg)
{
    free(block);
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, NULL, user, NULL);
    pthread_join(t, NULL);
    free(block);
    return 0;
}
