// A structure passed and returned by value is read from, and written to, where it lives.
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
