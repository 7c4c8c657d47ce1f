// memcpy accesses what it copies and no byte more.
// want: none
#include "turns.h"
#include <string.h>

char to[100], from[100];
volatile size_t size = 77;

void first(void) { memcpy(to + 3, from + 1, size); }

void second(void)
{
    to[2] = 1;
    to[80] = 1;
    from[0] = 1;
    from[78] = 1;
    size_t n = 0;
    memcpy(to + 10, from + 10, n);
}
