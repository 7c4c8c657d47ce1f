// As init_published_ok.c, but the load acquires nothing.
// want: race shared at INIT USE
#include "turns.h"
#include <stdatomic.h>

atomic_int shared;

void first(void)
{
    atomic_init(&shared, 5); /* INIT */
    atomic_store_explicit(&shared, 6, memory_order_release);
}

void second(void) { atomic_load_explicit(&shared, memory_order_relaxed); /* USE */ }
