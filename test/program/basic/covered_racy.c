// A read and then a write of the same place: the write races with a reader, although the read is
// first.
// want: race shared at UPDATE READER
#include "turns.h"

int shared, seen;

void first(void)
{
    if (shared == 0)
        shared = 5; /* UPDATE */
}

void second(void) { seen = shared; /* READER */ }
