// Byte loops that overlap in the middle of a granule.
// want: race shared at UP DOWN
// tsan: its history of four accesses per granule has lost the relevant one
#include "turns.h"

char shared[300];
volatile int bound = 149;

void first(void)
{
    for (int i = 0; i < bound; i++)
        shared[i] = (char)i; /* UP */
}

void second(void)
{
    for (int i = 299; i >= bound - 1; i--)
        shared[i] ^= 1; /* DOWN */
}
