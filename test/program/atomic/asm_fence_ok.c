// Relaxed atomics between fences of inline assembly, in both of their forms.
// want: none
// tsan: it does not model assembly
#include "turns.h"
#include <stdatomic.h>

atomic_int flag;
int data;

void first(void)
{
    data = 1;
    __asm__ volatile("mfence" : : : "memory");
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}
void second(void)
{
    if (!atomic_load_explicit(&flag, memory_order_relaxed))
        return;
    __asm__ volatile("lock; addl $0, -4(%%rsp)" : : : "memory", "cc");
    data++;
}
