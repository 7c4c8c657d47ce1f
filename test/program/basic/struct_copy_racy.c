// Assigning a structure writes all of it.
// want: race shared at COPY MEMBER
#include "turns.h"

struct big {
    long a[20];
} shared, source;
long seen;

void first(void) { shared = source; /* COPY */ }
void second(void) { seen = shared.a[19]; /* MEMBER */ }
