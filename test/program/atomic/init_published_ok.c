// The release store of an atomic also publishes its initialisation: a load that acquires it is
// ordered after both.
// want: none
#include "turns.h"
#include <stdatomic.h>

atomic_int shared;

void first(void)
{
    atomic_init(&shared, 5);
    atomic_store_explicit(&shared, 6, memory_order_release);
}

void second(void)
{
    atomic_load_explicit(&shared, memory_order_acquire);
    atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);
}
