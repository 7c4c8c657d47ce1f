// A call through a table of function pointers.
// want: race shared at TARGET SECOND
// stack: TARGET set_one first turn_first
#include "turns.h"

int shared;

static void set_one(void)
{
    shared = 1; /* TARGET */
    __asm__ volatile("");
}
static void set_none(void) {}
void (*table[2])(void) = {set_none, set_one};
volatile int which = 1;

void first(void)
{
    table[which]();
    __asm__ volatile("");
}
void second(void) { shared = 2; /* SECOND */ }
