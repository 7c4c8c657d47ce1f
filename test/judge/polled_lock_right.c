// As polled_lock.c, but the lock is right: the variable is tested and set in one step.
// judge: counter single-ordering
// reason: counter spins on taken
// levels: O2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int taken;
static volatile int counter;

static void *work(void *unused)
{
    while (atomic_exchange_explicit(&taken, 1, memory_order_relaxed))
        ;
    counter = counter + 1;
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
