// Eight bytes, read and then written.
// want: race shared at FIRST:read SECOND:write
#include "two.h"

long shared;
long seen;

void first(void) { seen = shared; /* FIRST */ }
void second(void) { shared = 2; /* SECOND */ }
