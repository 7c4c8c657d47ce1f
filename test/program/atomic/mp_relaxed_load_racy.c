// A relaxed load does not acquire a release store.
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
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    seen = data; /* TAKE */
}
