/* published.h - a block that one thread allocates and another one uses. */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) block;

static inline void *reader(void *arg)
{
    order_point(1);
    *(int *)arg = *atomic_load_explicit(&block, ORDER) + 1;
    return NULL;
}

/* Allocates with `alloc` after the thread was started. */
static inline int publish(int *(*alloc)(void))
{
    pthread_t t;
    int result;
    pthread_create(&t, NULL, reader, &result);
    atomic_store_explicit(&block, alloc(), ORDER);
    order_point(0);
    pthread_join(t, NULL);
    return 0;
}
