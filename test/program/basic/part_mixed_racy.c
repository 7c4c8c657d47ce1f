// Many parts of one granule, and only byte 6 in common.
// want: race at SIX PAIR
#include "turns.h"

union {
    char byte[8];
    short pair[4];
    int half[2];
} shared;

void first(void)
{
    shared.half[0] = 1;
    shared.byte[6] = 2; /* SIX */
}

void second(void)
{
    shared.byte[4] = 3;
    shared.byte[5] = 4;
    shared.pair[3] = 5; /* PAIR */
}
