// The memory order is known only at run time, and is relaxed.
// want: race data at PUT TAKE
#include "turns.h"

int data, seen, flag;
volatile int relaxed = __ATOMIC_RELAXED, acquire = __ATOMIC_ACQUIRE;

void first(void)
{
    data = 42; /* PUT */
    __atomic_store_n(&flag, 1, relaxed);
}

void second(void)
{
    while (!__atomic_load_n(&flag, acquire))
        ;
    seen = data; /* TAKE */
}
