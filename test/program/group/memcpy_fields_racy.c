// memcpy with a size known only at run time, against two functions that use its source: one cause.
// want: race at COPY FRONT
// want: race at COPY BACK
// causes: 1
#include "turns.h"
#include <string.h>

char from[400], to[400];
volatile size_t size = 400;

__attribute__((noinline)) static void front(void) { from[0] = 1; /* FRONT */ }
__attribute__((noinline)) static void back(void) { from[300] = 1; /* BACK */ }

void first(void)
{
    front();
    back();
}
void second(void) { memcpy(to, from, size); /* COPY */ }
