// A compare-and-swap that fails is a load with its failure order.
// want: none
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 5, memory_order_relaxed,
                                                 memory_order_acquire))
        seen = data;
}

int after(void) { return seen != 42; }
