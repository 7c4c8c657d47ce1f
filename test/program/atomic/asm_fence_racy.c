// A compiler barrier alone is not a fence.
// want: race data at WRITE INC
#include "turns.h"
#include <stdatomic.h>

atomic_int flag;
int data;

void first(void)
{
    data = 1; /* WRITE */
    __asm__ volatile("" : : : "memory");
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}
void second(void)
{
    if (!atomic_load_explicit(&flag, memory_order_relaxed))
        return;
    __asm__ volatile("mfence" : : : "memory");
    data++; /* INC */
}
