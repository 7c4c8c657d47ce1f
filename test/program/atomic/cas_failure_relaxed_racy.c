// A compare-and-swap that fails does not have its success order.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 5, memory_order_acq_rel,
                                                 memory_order_relaxed))
        seen = data; /* TAKE */
}
