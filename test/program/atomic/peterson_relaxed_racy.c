// Peterson's algorithm with relaxed operations.
// want: race shared at INC INC
#include "turns.h"
#include <stdatomic.h>

atomic_int wants[2], turn;
int shared;

static void increment(int me)
{
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
    while (atomic_load_explicit(&wants[1 - me], memory_order_relaxed) &&
           atomic_load_explicit(&turn, memory_order_relaxed) == 1 - me)
        ;
    shared++; /* INC */
    atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
}

void first(void) { increment(0); }
void second(void) { increment(1); }
