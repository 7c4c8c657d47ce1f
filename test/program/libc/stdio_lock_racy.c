// The lock of another stream creates no order.
// want: race shared at A B
#include "turns.h"
#include <stdio.h>

int shared;

void first(void)
{
    flockfile(stdout);
    shared = 1; /* A */
    funlockfile(stdout);
}
void second(void)
{
    flockfile(stderr);
    shared = 2; /* B */
    funlockfile(stderr);
}
