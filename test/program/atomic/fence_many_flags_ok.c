// One fence at each end serves all the flags between.
// want: none
// tsan: does not model fences
#include "turns.h"
#include <stdatomic.h>

int data[8], seen;
atomic_int flag[8];

void first(void)
{
    for (int i = 0; i < 8; i++)
        data[i] = i;
    atomic_thread_fence(memory_order_release);
    for (int i = 0; i < 8; i++)
        atomic_store_explicit(&flag[i], 1, memory_order_relaxed);
}

void second(void)
{
    if (!atomic_load_explicit(&flag[3], memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_acquire);
    for (int i = 0; i < 8; i++)
        seen += data[i];
}

int after(void) { return seen != 28; }
