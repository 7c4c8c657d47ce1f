// Eight bytes, read and then written.
// want: race shared at FIRST:read SECOND:write
#include "turns.h"

long shared;
long seen;

void first(void) { seen = shared; /* FIRST */ }
void second(void) { shared = 2; /* SECOND */ }
