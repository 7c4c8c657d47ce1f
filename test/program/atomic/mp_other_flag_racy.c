// Acquire and release on different atomics.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag, other;

void first(void)
{
    data = 1; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    seen = atomic_load_explicit(&other, memory_order_acquire);
    seen += data; /* TAKE */
}
