// The clock of an atomic ends with its memory: a new atomic at the same address publishes nothing
// old.
// want: race data at PUT TAKE
// tsan: it treats malloc as a write to the block
#include "turns.h"
#include <stdatomic.h>
#include <stdlib.h>

int data, seen;
_Atomic(atomic_int *) box;

void first(void)
{
    atomic_int *flag = malloc(sizeof *flag);
    data = 42; /* PUT */
    atomic_store_explicit(flag, 1, memory_order_release);
    free(flag);
    flag = malloc(sizeof *flag);
    atomic_fetch_or_explicit(flag, 1, memory_order_relaxed);
    atomic_store_explicit(&box, flag, memory_order_relaxed);
}

void second(void)
{
    atomic_int *flag = atomic_load_explicit(&box, memory_order_relaxed);
    if (atomic_load_explicit(flag, memory_order_acquire))
        seen = data; /* TAKE */
}
