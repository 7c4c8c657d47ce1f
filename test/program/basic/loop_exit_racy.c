// A loop that ends before its bound has accessed everything before its end.
// want: race table at FIRST SECOND
#include "turns.h"

int table[400];
volatile int n = 400, stop = 150;

void first(void)
{
    int end = n, last = stop;
    for (int i = 0; i < end; i++) {
        if (i == last)
            break;
        table[i] += i; /* FIRST */
    }
}

void second(void)
{
    int end = n;
    for (int i = stop - 1; i < end; i++)
        table[i] = 1; /* SECOND */
}
