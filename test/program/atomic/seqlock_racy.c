// A sequence lock with plain data: the writer may overwrite data that a reader has just read.
// want: race a at WRITE READ
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
int a, seen;

static void *reader(void *arg)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    seen = a; /* READ */
    order_point(0);
    order_point(3);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&sequence, memory_order_relaxed) != before)
        seen = -1;
    return arg;
}

static void *writer(void *arg)
{
    order_point(1);
    atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    a = 1; /* WRITE */
    atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
    order_point(2);
    return arg;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return seen != -1;
}
