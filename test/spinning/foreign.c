/* Without instrumentation: loops that wait for another thread and never yield. */
#include <stdatomic.h>

/* Iterates without changing anything. */
void wait_still(atomic_int *flag)
{
    while (!atomic_load_explicit(flag, memory_order_acquire))
        ;
}

/* Counts its iterations in memory, and announces with `pause` that it waits. */
void wait_counting(atomic_int *flag, long *rounds)
{
    while (!atomic_load_explicit(flag, memory_order_acquire)) {
        ++*rounds;
        __builtin_ia32_pause();
    }
}

/* Counts without `pause`: cannot be distinguished from work. */
long wait_secretly(atomic_int *flag)
{
    long rounds = 0;
    while (!atomic_load_explicit(flag, memory_order_acquire))
        rounds += 3;
    return rounds;
}

void give(atomic_int *flag) { atomic_store_explicit(flag, 1, memory_order_release); }
