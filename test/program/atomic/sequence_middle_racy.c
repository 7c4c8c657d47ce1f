// A relaxed read-modify-write in a release sequence does not publish the writes of its own thread.
// want: race mine at MINE TAKE
#include "turns.h"
#include <stdatomic.h>

int data, mine, seen;
atomic_int flag;

void first(void)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

void second(void)
{
    mine = 1; /* MINE */
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
}

void third(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2) {
        seen = data;
        seen += mine; /* TAKE */
    }
}
