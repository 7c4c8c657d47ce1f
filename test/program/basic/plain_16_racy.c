// Sixteen bytes as one value.
// want: race shared at FIRST SECOND
#include "turns.h"

__int128 shared;

void first(void) { shared = 1; /* FIRST */ }
void second(void) { shared = 2; /* SECOND */ }
