// A release sequence: another thread's relaxed read-modify-write continues the head's release.
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

void second(void) { atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); }

void third(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data;
}

int after(void) { return seen != 42; }
