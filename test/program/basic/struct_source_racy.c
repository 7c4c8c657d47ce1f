// Assigning a structure reads all of the source.
// want: race source at COPY MEMBER
#include "turns.h"

struct big {
    long a[20];
} shared, source;

void first(void) { shared = source; /* COPY */ }
void second(void) { source.a[11] = 1; /* MEMBER */ }
