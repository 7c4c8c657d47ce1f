// Both stacks are complete, through small functions that are inlined at -O2 and ones that are not.
// want: race shared at DEEP SHALLOW
// stack: DEEP innermost inner middle outer first turn_first
// stack: SHALLOW second turn_second
#include "turns.h"

int shared;

static inline void innermost(int v) { shared = v; /* DEEP */ }
static void inner(int v) { innermost(v + 1); }
static __attribute__((noinline)) void middle(int v)
{
    inner(v + 1);
    __asm__ volatile("");
}
static __attribute__((noinline)) void outer(int v)
{
    middle(v + 1);
    __asm__ volatile("");
}

void first(void)
{
    outer(1);
    __asm__ volatile("");
}
void second(void) { shared = 2; /* SHALLOW */ }
