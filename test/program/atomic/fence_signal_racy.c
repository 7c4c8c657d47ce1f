// A signal fence orders a thread with its own signal handlers only.
// want: race data at PUT TAKE
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_int flag;

void first(void)
{
    data = 42; /* PUT */
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

void second(void)
{
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    atomic_signal_fence(memory_order_seq_cst);
    seen = data; /* TAKE */
}
