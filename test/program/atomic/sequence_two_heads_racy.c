// A release store by another thread starts a new sequence: the first one's release is lost.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, other, seen;
atomic_int flag;

void first(void)
{
    data = 42; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    other = 1;
    atomic_store_explicit(&flag, 2, memory_order_release);
}

void third(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2) {
        seen = other;
        seen += data; /* TAKE */
    }
}
