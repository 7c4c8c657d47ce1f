// A loop that only reads, over memory that one write accessed.
// want: race table at READ WRITE
#include "turns.h"

long table[500];
long sum;
volatile int n = 500;

void first(void)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += table[i]; /* READ */
    sum = s;
}

void second(void) { table[333] = 1; /* WRITE */ }
