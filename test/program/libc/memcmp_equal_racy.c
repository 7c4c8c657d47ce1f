// A memcmp of a few bytes whose result is only compared with 0. The compiler could replace it by
// loads; the race must still be reported at the call.
// want: race shared at CHANGE COMPARE
#include "turns.h"
#include <string.h>

int shared, other;
static int equal;
void first(void) { shared = 1; /* CHANGE */ }
void second(void) { equal = memcmp(&shared, &other, sizeof shared) == 0; /* COMPARE */ }
int after(void) { return equal; }
