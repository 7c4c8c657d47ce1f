// Deep recursion in several threads.
// want: none
// flags: -fno-optimize-sibling-calls
// oracle: too many events for it
#include <pthread.h>

static __attribute__((noinline)) long down(volatile long *cell, int n)
{
    *cell += 1;
    long r = n ? down(cell, n - 1) : 0;
    return r + *cell - *cell + 1;
}

static void *worker(void *arg)
{
    volatile long cell = 0;
    *(long *)arg = down(&cell, 20000);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long depth[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &depth[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return depth[0] != 20001 || depth[2] != 20001;
}
