// A block is published without order: its allocation races with the first use by the other thread.
// want: race at ALLOC USE
// oracle: an allocation is not a write there
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int *) published;

static void *publish(void *arg)
{
    int *p = malloc(64); /* ALLOC */
    atomic_store_explicit(&published, p, memory_order_relaxed);
    return arg;
}

int main(void)
{
    int *p;
    pthread_t t;
    pthread_create(&t, NULL, publish, NULL);
    while (!(p = atomic_load_explicit(&published, memory_order_relaxed)))
        ;
    p[3] = 1; /* USE */
    pthread_join(t, NULL);
    free(p);
    return 0;
}
