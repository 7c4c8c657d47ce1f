// A plain and an atomic access race.
// want: race shared at PLAIN:write ATOMIC:atomic-read
#include "turns.h"

int shared, seen;

void first(void) { shared = 1; /* PLAIN */ }
void second(void) { seen = __atomic_load_n(&shared, __ATOMIC_SEQ_CST); /* ATOMIC */ }
