// Loops that end before their bound, or have no iteration at all, do not access the rest.
// want: none
#include "turns.h"

int table[400], other[400];
volatile int n = 400, zero, stop = 150;

void first(void)
{
    int end = n, last = stop;
    for (int i = 0; i < end; i++) {
        if (i == last)
            break;
        table[i] += i;
    }
    end = zero;
    for (int i = 0; i < end; i++)
        other[i] = i;
}

void second(void)
{
    int end = n;
    for (int i = stop; i < end; i++)
        table[i] = 1;
    for (int i = 0; i < end; i++)
        other[i] = 2;
}
