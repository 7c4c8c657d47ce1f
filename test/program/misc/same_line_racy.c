// Two races in one line of one function are two findings with the same pair of lines.
// want: race at BOTH BOTH
#include "turns.h"

int a, b;

static void work(void) { a++, b++; /* BOTH */ }

void first(void) { work(); }
void second(void) { work(); }
