// Large blocks: most of one is never accessed and costs nothing when it is freed; others pass from
// thread to thread, are freed there, and their memory is reused in other blocks.
// want: none
// oracle: too many events for it
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LARGE = 3 << 20, ROUNDS = 12 };
static pthread_barrier_t barrier;
char *handed[2];

static void *work(void *arg)
{
    int me = arg != NULL;
    for (int i = 0; i < ROUNDS; i++) {
        handed[me] = malloc(LARGE);
        memset(handed[me], i, LARGE);
        pthread_barrier_wait(&barrier);
        if (handed[!me][LARGE - 1] != i)
            abort();
        free(handed[!me]);
        pthread_barrier_wait(&barrier);
    }
    return arg;
}

int main(void)
{
    size_t huge = (size_t)1 << 30;
    char *sparse = malloc(huge);
    if (sparse) {
        sparse[0] = sparse[huge / 2] = 1;
        free(sparse);
    }
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, i ? &t[1] : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss > 400 << 10; /* KB */
}
