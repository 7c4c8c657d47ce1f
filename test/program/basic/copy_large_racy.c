// A copy of a megabyte against one byte far inside it.
// want: race at COPY BYTE
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

void first(void) { memcpy(to, from, SIZE); /* COPY */ }
void second(void) { to[777777] = 1; /* BYTE */ }
