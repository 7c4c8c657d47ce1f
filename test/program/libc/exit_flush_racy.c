// Destructors run and output is flushed before the status is replaced.
// want: race shared at A B
// exit: 5
// stdout: main
// stdout: atexit
// stdout: destructor
#include "turns.h"
#include <stdio.h>
#include <stdlib.h>

int shared;
static void at_end(void) { printf("atexit\n"); }
__attribute__((destructor)) static void last(void) { printf("destructor\n"); }
void before(void) { atexit(at_end); }
void first(void) { shared = 1; /* A */ }
void second(void) { shared = 2; /* B */ }
int after(void)
{
    printf("main\n");
    return 5;
}
