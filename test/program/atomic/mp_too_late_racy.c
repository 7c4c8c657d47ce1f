// A release store does not publish writes after it.
// want: race late at LATE TAKE
#include "turns.h"
#include <stdatomic.h>

int early, late, seen;
atomic_int flag;

void first(void)
{
    early = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    late = 1; /* LATE */
}

void second(void)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    seen = early;
    seen += late; /* TAKE */
}
