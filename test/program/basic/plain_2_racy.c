// Two bytes, written and then read.
// want: race shared at FIRST:write SECOND:read
#include "turns.h"

short shared;
short seen;

void first(void) { shared = 1; /* FIRST */ }
void second(void) { seen = shared; /* SECOND */ }
