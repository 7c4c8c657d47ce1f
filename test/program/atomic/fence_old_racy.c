// A later write is not covered by the old fence, although the old flag is stored again.
// want: race late at LATE TAKE
// tsan: does not model fences
#include "turns.h"
#include <stdatomic.h>

int data, late, seen;
atomic_int flag;

void first(void)
{
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    late = 1; /* LATE */
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
}

void second(void)
{
    while (atomic_load_explicit(&flag, memory_order_relaxed) != 2)
        ;
    atomic_thread_fence(memory_order_acquire);
    seen = data;
    seen += late; /* TAKE */
}
