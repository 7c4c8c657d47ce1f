// A compare-and-swap that fails stores nothing, so it publishes nothing.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag = 1;

void first(void)
{
    data = 42; /* PUT */
    int expected = 0;
    atomic_compare_exchange_strong(&flag, &expected, 5);
}

void second(void)
{
    if (atomic_load(&flag) == 1)
        seen = data; /* TAKE */
}
