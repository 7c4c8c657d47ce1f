// A ticket lock with a relaxed read of the number being served.
// want: race shared at INC INC
#include "turns.h"
#include <stdatomic.h>

atomic_int next, serving;
int shared;

static void increment(void)
{
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_relaxed) != mine)
        ;
    shared++; /* INC */
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
}

void first(void) { increment(); }
void second(void) { increment(); }
