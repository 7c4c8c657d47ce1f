// Copies of a megabyte to adjacent memory.
// want: none
// oracle: too many events for it
#include "turns.h"
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 20 };
char *from, *to;

void before(void)
{
    from = calloc(1, SIZE);
    to = calloc(1, SIZE);
}

void first(void) { memcpy(to, from, SIZE / 2 + 3); }
void second(void) { memset(to + SIZE / 2 + 3, 1, SIZE / 2 - 3); }
