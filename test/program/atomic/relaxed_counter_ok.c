// Atomics never race with atomics, whatever the memory order.
// want: none
#include <pthread.h>
#include <stdatomic.h>

atomic_long counter;
atomic_uchar small;
_Atomic short middle;

static void *worker(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
        atomic_store_explicit(&small, i, memory_order_relaxed);
        atomic_fetch_xor_explicit(&middle, 1, memory_order_relaxed);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return counter != 4000;
}
