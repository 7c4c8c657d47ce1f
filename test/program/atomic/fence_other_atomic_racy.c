// Fences at both ends, but the reader read another atomic, stored before the fence.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag, other;

void first(void)
{
    data = 42; /* PUT */
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

void second(void)
{
    while (!atomic_load_explicit(&other, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    seen = data; /* TAKE */
}
