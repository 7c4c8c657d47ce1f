// A bit-field of width 0 makes two memory locations.
// want: none
#include "turns.h"

struct {
    unsigned low : 4;
    unsigned : 0;
    unsigned high : 4;
} shared;

void first(void) { shared.low = 1; }
void second(void) { shared.high = 2; }
