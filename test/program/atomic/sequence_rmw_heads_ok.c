// Release read-modify-writes accumulate: the reader of the last acquires all of them.
// want: none
#include "turns.h"
#include <stdatomic.h>

int data, other, seen;
atomic_int flag;

void first(void)
{
    data = 42;
    atomic_fetch_add_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    other = 1;
    atomic_fetch_add_explicit(&flag, 1, memory_order_release);
}

void third(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data + other;
}

int after(void) { return seen != 43; }
