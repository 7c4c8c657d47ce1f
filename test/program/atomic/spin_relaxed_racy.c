// A spin lock with a relaxed release: mutual exclusion, but no order.
// want: race shared at INC INC
#include "turns.h"
#include <stdatomic.h>

atomic_int lock;
int shared;

static void increment(void)
{
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
        ;
    shared++; /* INC */
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
}

void first(void) { increment(); }
void second(void) { increment(); }
