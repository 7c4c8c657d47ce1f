// An eight-byte write over a byte written before.
// want: race at FIRST SECOND
#include "turns.h"

union {
    long whole;
    char byte[8];
} shared;

void first(void) { shared.byte[5] = 1; /* FIRST */ }
void second(void) { shared.whole = 2; /* SECOND */ }
