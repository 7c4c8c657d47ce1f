// Byte loops that share a granule but no byte; and a loop with a stride.
// want: none
#include "turns.h"

char shared[300];
volatile int bound = 149;
short comb[600];

void first(void)
{
    for (int i = 0; i < bound; i++)
        shared[i] = (char)i;
    for (int i = 0; i < 600; i += 2)
        comb[i] = 1;
}

void second(void)
{
    for (int i = 299; i >= bound; i--)
        shared[i] ^= 1;
    for (int i = 1; i < 600; i += 2)
        comb[i] = 2;
}
