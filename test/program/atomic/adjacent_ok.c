// An atomic and a plain variable in one granule.
// want: none
#include "turns.h"
#include <stdatomic.h>

struct {
    char a;
    atomic_char b;
    short c;
    atomic_int d;
} shared;

void first(void)
{
    shared.a = 1;
    atomic_store(&shared.d, 1);
    atomic_fetch_add(&shared.b, 1);
}

void second(void)
{
    atomic_fetch_add_explicit(&shared.b, 1, memory_order_relaxed);
    shared.c = 2;
    atomic_fetch_add_explicit(&shared.d, 1, memory_order_relaxed);
}
