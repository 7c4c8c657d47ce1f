/* A thread uses a large heap block that was freed. In a free run the memory is unmapped by then,
 * and the program dies; in a recording it stays mapped. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { LARGE = 3 << 20 };
static char *volatile block;
static sem_t freed;

static void *use(void *arg)
{
    sem_wait(&freed);
    block[LARGE - 100] = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(LARGE);
    block[0] = 1;
    sem_init(&freed, 0, 0);
    pthread_create(&t, NULL, use, NULL);
    free(block);
    sem_post(&freed);
    pthread_join(t, NULL);
    return 0;
}
