// Sixteen-byte atomics, as lock-free stacks with counters use them.
// want: none
// flags: -mcx16
#include "turns.h"

int data, seen;
__int128 flag __attribute__((aligned(16)));

void first(void)
{
    data = 42;
    __int128 old = 0;
    __int128 now = 1;
    __atomic_compare_exchange(&flag, &old, &now, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void second(void)
{
    __int128 old = 1;
    __int128 now = 2;
    if (__atomic_compare_exchange(&flag, &old, &now, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        seen = data;
}

int after(void) { return seen != 42; }
