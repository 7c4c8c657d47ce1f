// The acquire load happens before the release store: no order, although both exist.
// want: race data at PUT TAKE
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

int data, seen;
atomic_int flag;

static void *consumer(void *arg)
{
    seen = atomic_load_explicit(&flag, memory_order_acquire);
    order_point(0);
    order_point(3);
    seen += data; /* TAKE */
    return arg;
}

static void *producer(void *arg)
{
    order_point(1);
    data = 1; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_release);
    order_point(2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
