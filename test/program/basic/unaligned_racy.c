// An unaligned int over the border of two granules; the race is in the second.
// want: race at WIDE BYTE
#include "turns.h"

struct __attribute__((packed)) {
    char head[6];
    int wide;
    char tail[6];
} shared __attribute__((aligned(8)));

void first(void) { shared.wide = 1; /* WIDE */ }
void second(void) { ((char *)&shared)[9] = 1; /* BYTE */ }
