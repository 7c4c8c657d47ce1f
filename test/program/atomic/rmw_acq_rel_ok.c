// Read-modify-write operations of every kind pass on what they acquired.
// want: none
#include "turns.h"
#include <stdatomic.h>

int a, b, c, seen;
atomic_int turn;

void first(void)
{
    a = 1;
    atomic_fetch_add_explicit(&turn, 1, memory_order_release);
}

void second(void)
{
    if (atomic_exchange_explicit(&turn, 2, memory_order_acq_rel) == 1)
        b = a + 1;
    atomic_fetch_or_explicit(&turn, 4, memory_order_acq_rel);
}

void third(void)
{
    int six = 6;
    if (atomic_compare_exchange_strong_explicit(&turn, &six, 7, memory_order_acquire,
                                                memory_order_relaxed))
        seen = a + b;
}

int after(void) { return seen != 3; }
