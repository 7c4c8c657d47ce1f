// A relaxed store after a release fence heads a release sequence, which a read-modify-write
// continues.
// want: none
// witness: it does not end without its order
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

void second(void) { atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); }

void third(void)
{
    while (atomic_load_explicit(&flag, memory_order_relaxed) != 2)
        ;
    atomic_thread_fence(memory_order_acquire);
    seen = data;
}

int after(void) { return seen != 42; }
