// Passing and returning a structure by value reads and writes its memory.
// want: race at TAKE PUT
// tsan: reads of arguments passed in memory are not instrumented
#include "turns.h"

struct pair {
    long a, b, c;
} shared, mine;

static __attribute__((noinline)) struct pair twice(struct pair p)
{
    p.a *= 2;
    p.c *= 2;
    return p;
}

void first(void) { mine = twice(shared); /* TAKE */ }
void second(void) { shared.c = 1; /* PUT */ }
