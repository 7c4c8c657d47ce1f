// The findings are reported at every kind of exit: here _exit.
// want: race shared at A B
#include "turns.h"
#include <unistd.h>

int shared;
void first(void) { shared = 1; /* A */ }
void second(void)
{
    shared = 2; /* B */
    _exit(0);
}
