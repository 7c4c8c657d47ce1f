// The bytes before and after an unaligned int are not a part of it.
// want: none
#include "turns.h"

struct __attribute__((packed)) {
    char head[6];
    int wide;
    char tail[6];
} shared __attribute__((aligned(8)));

void first(void) { shared.wide = 1; }

void second(void)
{
    shared.head[5] = 1;
    shared.tail[0] = 1;
}
