// Another thread's relaxed store ends the release sequence.
// want: race data at PUT TAKE
// tsan: a relaxed store does not change the clock of the atomic
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void) { atomic_store_explicit(&flag, 2, memory_order_relaxed); }

void third(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data; /* TAKE */
}
