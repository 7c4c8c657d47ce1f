// A read and then a write of the same place: the write is the race with a reader, though the read came first.
// want: race shared at UPDATE READER
#include "turns.h"

int shared, seen;

void first(void)
{
    if (shared == 0)
        shared = 5; /* UPDATE */
}

void second(void) { seen = shared; /* READER */ }
