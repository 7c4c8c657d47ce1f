// A ring buffer whose consumer returns slots with relaxed stores: the producer overwrites data
// that is being read.
// want: race slot at PUT TAKE
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

int slot[1];
atomic_uint head, tail;
int seen;

static void *producer(void *arg)
{
    for (unsigned i = 0; i < 2; i++) {
        order_wait(2 * (int)i);
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == 1)
            ;
        slot[0] = (int)i; /* PUT */
        atomic_store_explicit(&head, i + 1, memory_order_release);
        order_arrive();
    }
    return arg;
}

static void *consumer(void *arg)
{
    order_wait(1);
    while (atomic_load_explicit(&head, memory_order_acquire) == 0)
        ;
    seen = slot[0]; /* TAKE */
    atomic_store_explicit(&tail, 1, memory_order_relaxed);
    order_arrive();
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
