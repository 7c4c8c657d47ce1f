// A race at the bottom of a recursion: the stack has every level.
// want: race shared at BOTTOM MAIN
// stack: BOTTOM down down down down down down first turn_first
// flags: -fno-optimize-sibling-calls
#include "turns.h"

int shared;

static __attribute__((noinline)) void down(int n)
{
    if (n)
        down(n - 1);
    else
        shared = 1; /* BOTTOM */
    __asm__ volatile("");
}

void first(void)
{
    down(5);
    __asm__ volatile("");
}
void second(void) { shared = 2; /* MAIN */ }
