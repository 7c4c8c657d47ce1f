// A block is published with order: a release store and an acquire load.
// want: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int *) published;

static void *publish(void *arg)
{
    int *p = malloc(64);
    atomic_store_explicit(&published, p, memory_order_release);
    return arg;
}

int main(void)
{
    int *p;
    pthread_t t;
    pthread_create(&t, NULL, publish, NULL);
    while (!(p = atomic_load_explicit(&published, memory_order_acquire)))
        ;
    p[3] = 1;
    pthread_join(t, NULL);
    free(p);
    return 0;
}
