// A release fence does not publish writes after it.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    atomic_thread_fence(memory_order_release);
    data = 42; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

void second(void)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    seen = data; /* TAKE */
}
