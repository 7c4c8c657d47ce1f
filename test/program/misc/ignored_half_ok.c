// One ignored access is enough: a race needs two checked accesses.
// want: none
#include "turns.h"

int shared;

__attribute__((no_sanitize("thread"))) void first(void) { shared = 1; }
void second(void) { shared = 2; }
