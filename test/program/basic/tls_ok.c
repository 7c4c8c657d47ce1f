// Every thread has its own thread-local variable.
// want: none
#include "turns.h"

static __thread long mine[4];
long *volatile pointer;

static void use(long *p)
{
    for (int i = 0; i < 4; i++)
        p[i] += i;
}

void first(void) { use(mine); }
void second(void) { use(mine); }
