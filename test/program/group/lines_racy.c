// One function changes a variable, another one reads it at two lines: two races with one cause.
// want: race hits at WRITE ONE
// want: race hits at WRITE TWO
// causes: 1
#include "turns.h"

int hits;
volatile int shown, logged;

__attribute__((noinline)) static void show(int log)
{
    if (log)
        logged = hits; /* ONE */
    else
        shown = *(volatile char *)&hits; /* TWO */
}

void first(void) { hits = 1; /* WRITE */ }
void second(void) { show(0); }
void third(void) { show(1); }
