// The old GNU builtins are full barriers.
// want: none
#include "turns.h"

int data, more, seen, flag;

void first(void)
{
    data = 42;
    __sync_fetch_and_add(&flag, 1);
}

void second(void)
{
    if (__sync_bool_compare_and_swap(&flag, 1, 2))
        more = data;
    __sync_fetch_and_add(&flag, 1);
}

void third(void)
{
    if (__sync_val_compare_and_swap(&flag, 3, 4) == 3)
        seen = data + more;
}

int after(void) { return seen != 84; }
