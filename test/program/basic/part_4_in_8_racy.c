// A four-byte write into the upper half of an eight-byte read.
// want: race at FIRST SECOND
#include "turns.h"

union {
    long whole;
    int half[2];
} shared;
long seen;

void first(void) { shared.half[1] = 1; /* FIRST */ }
void second(void) { seen = shared.whole; /* SECOND */ }
