// One byte, written twice.
// want: race shared at FIRST:write SECOND:write
#include "turns.h"

char shared;

void first(void) { shared = 1; /* FIRST */ }
void second(void) { shared = 2; /* SECOND */ }
