// A seq_cst fence is a release and an acquire fence; an acq_rel fence too.
// want: none
// tsan: does not model fences
#include "turns.h"
#include <stdatomic.h>

int data, more, seen;
atomic_int flag, next;

void first(void)
{
    data = 42;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

void second(void)
{
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acq_rel);
    more = data;
    __sync_synchronize();
    atomic_store_explicit(&next, 1, memory_order_relaxed);
}

void third(void)
{
    while (!atomic_load_explicit(&next, memory_order_relaxed))
        ;
    __sync_synchronize();
    seen = data + more;
}

int after(void) { return seen != 84; }
