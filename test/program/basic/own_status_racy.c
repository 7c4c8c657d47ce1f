// With findings, the status is 66 and the output is the program's own.
// want: race shared at FIRST SECOND
// exit: 7
// stdout: done
#include "turns.h"
#include <stdio.h>

int shared;

void first(void) { shared = 1; /* FIRST */ }
void second(void) { shared = 2; /* SECOND */ }

int after(void)
{
    puts("done");
    return 7;
}
