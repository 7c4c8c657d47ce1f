/* Without instrumentation: loops that wait for another thread, and never give way. */
#include <stdatomic.h>

/* Goes round without changing anything. */
void wait_still(atomic_int *flag)
{
    while (!atomic_load_explicit(flag, memory_order_acquire))
        ;
}

/* Counts in memory how often it went round, and says that it waits. */
void wait_counting(atomic_int *flag, long *rounds)
{
    while (!atomic_load_explicit(flag, memory_order_acquire)) {
        ++*rounds;
        __builtin_ia32_pause();
    }
}

/* Counts and does not say so: nobody can tell it from work. */
long wait_secretly(atomic_int *flag)
{
    long rounds = 0;
    while (!atomic_load_explicit(flag, memory_order_acquire))
        rounds += 3;
    return rounds;
}

void give(atomic_int *flag) { atomic_store_explicit(flag, 1, memory_order_release); }
