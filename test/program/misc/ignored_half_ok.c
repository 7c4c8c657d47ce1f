// One side ignored is enough: there is no second access to compare with.
// want: none
#include "turns.h"

int shared;

__attribute__((no_sanitize("thread"))) void first(void) { shared = 1; }
void second(void) { shared = 2; }
