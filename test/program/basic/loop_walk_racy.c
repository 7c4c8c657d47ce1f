// A walk that stops at a terminator: its last byte is the one that another thread writes.
// want: race shared at WALK END
#include "turns.h"

char shared[100] = "a long text; the end of it comes late";
volatile int length;

void first(void)
{
    int n = 0;
    while (shared[n] != ';') /* WALK */
        n++;
    length = n;
}

void second(void) { shared[11] = ','; /* END */ }
