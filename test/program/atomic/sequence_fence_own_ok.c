// An old release fence does not shorten a release sequence that started after it.
// want: none
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    atomic_thread_fence(memory_order_release);
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
    atomic_store_explicit(&flag, 3, memory_order_relaxed);
}

void second(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 3)
        seen = data;
}

int after(void) { return seen != 42; }
