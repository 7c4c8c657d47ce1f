// Two bit-fields of one unit are one memory location.
// want: race at LOW HIGH
#include "turns.h"

struct {
    unsigned low : 4;
    unsigned high : 4;
} shared;

void first(void) { shared.low = 1; /* LOW */ }
void second(void) { shared.high = 2; /* HIGH */ }
