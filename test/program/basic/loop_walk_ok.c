// Two walks that stop next to each other: neither accesses a byte of the other.
// want: none
#include "turns.h"

char shared[100] = "a long text; the end of it comes late.";
volatile int length, bound = 24;

void first(void)
{
    int n = 0;
    while (shared[n] != ';')
        n++;
    length = n;
    shared[11] = ',';
}

void second(void)
{
    char *at = shared + 12, *end = shared + bound;
    while (*at && at < end) /* the last byte is read, not written */
        *at++ ^= 1;
}
