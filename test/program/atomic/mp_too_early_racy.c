// An acquire load does not cover reads before it.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 1; /* PUT */
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    seen = data; /* TAKE */
    seen += atomic_load_explicit(&flag, memory_order_acquire);
}
