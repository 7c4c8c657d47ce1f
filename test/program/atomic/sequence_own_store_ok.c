// Up to C17 the head's own later relaxed stores belong to its release sequence.
// want: none
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
}

void second(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data;
}

int after(void) { return seen != 42; }
