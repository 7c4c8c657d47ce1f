// A relaxed read-modify-write neither releases nor acquires.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int turn;

void first(void)
{
    data = 1; /* PUT */
    atomic_fetch_add_explicit(&turn, 1, memory_order_acq_rel);
}

void second(void)
{
    if (atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) == 1)
        seen = data; /* TAKE */
}
