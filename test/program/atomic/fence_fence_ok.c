// A release fence before, an acquire fence after, and relaxed operations in between.
// want: none
// tsan: does not model fences
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

void second(void)
{
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    seen = data;
}

int after(void) { return seen != 42; }
