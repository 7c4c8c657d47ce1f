// An exit handler is not ordered with the accesses that the registering thread makes later.
// want: race shared at LATE HANDLER
#include "turns.h"
#include <stdlib.h>

int shared;
static void at_end(void) { shared++; /* HANDLER */ }
void first(void)
{
    atexit(at_end);
    shared = 1; /* LATE */
}
void second(void) { exit(0); }
