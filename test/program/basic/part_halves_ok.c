// The two halves of one granule, one thread each.
// want: none
#include "turns.h"

union {
    long whole;
    int half[2];
} shared;

void first(void) { shared.half[0] = 1; }
void second(void) { shared.half[1] = 2; }
