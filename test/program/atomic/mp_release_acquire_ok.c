// Message passing with a release store and an acquire load.
// want: none
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    seen = data;
}

int after(void) { return seen != 42; }
