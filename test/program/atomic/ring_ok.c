// A ring buffer for one producer and one consumer.
// want: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SLOTS = 8, COUNT = 1000 };
int slot[SLOTS];
atomic_uint head, tail;

static void *producer(void *arg)
{
    for (unsigned i = 0; i < COUNT; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == SLOTS)
            sched_yield();
        slot[i % SLOTS] = (int)i;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return arg;
}

static void *consumer(void *arg)
{
    long sum = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i)
            sched_yield();
        sum += slot[i % SLOTS];
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    *(long *)arg = sum;
    return NULL;
}

int main(void)
{
    pthread_t p, c;
    long sum = 0;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, &sum);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return sum != COUNT * (COUNT - 1) / 2;
}
