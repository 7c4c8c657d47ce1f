// The head of a release sequence stores again after another thread's read-modify-write.
// want: none
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

int data, seen;
atomic_int flag;

static void *head(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    order_point(0);
    order_point(3);
    atomic_store_explicit(&flag, 5, memory_order_relaxed);
    order_point(4);
    return arg;
}

static void *middle(void *arg)
{
    order_point(1);
    atomic_fetch_add_explicit(&flag, 1, memory_order_acq_rel);
    order_point(2);
    return arg;
}

static void *reader(void *arg)
{
    order_point(5);
    if (atomic_load_explicit(&flag, memory_order_acquire) == 5)
        seen = data;
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, head, NULL);
    pthread_create(&b, NULL, middle, NULL);
    pthread_create(&c, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return seen != 42;
}
