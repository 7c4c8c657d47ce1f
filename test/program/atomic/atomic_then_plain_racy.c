// A plain read of a value that another thread stored atomically.
// want: race shared at ATOMIC:atomic-write PLAIN:read
#include "turns.h"

int shared, seen;

void first(void) { __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST); /* ATOMIC */ }
void second(void) { seen = shared; /* PLAIN */ }
