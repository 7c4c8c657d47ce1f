// Both stacks are complete, through small functions that are inlined at -O2 and ones that are not.
// want: race shared at DEEP SHALLOW
// stack: DEEP innermost inner middle outer first two_first
// stack: SHALLOW second two_second
#include "two.h"

int shared;

static inline void innermost(int v) { shared = v; /* DEEP */ }
static void inner(int v) { innermost(v + 1); }
static __attribute__((noinline)) void middle(int v)
{
    inner(v + 1);
    order_arrive();
}
static __attribute__((noinline)) void outer(int v)
{
    middle(v + 1);
    __asm__ volatile("");
}

void first(void)
{
    order_turn = -1;
    outer(1);
    __asm__ volatile("");
}
void second(void) { shared = 2; /* SHALLOW */ }
