// A plain write after another thread's read-modify-write.
// want: race shared at ATOMIC PLAIN
#include "turns.h"

int shared;

void first(void) { __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST); /* ATOMIC */ }
void second(void) { shared = 2; /* PLAIN */ }
