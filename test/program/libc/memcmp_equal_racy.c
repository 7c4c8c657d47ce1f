// A memcmp of few bytes whose result is only compared with 0: the compiler would replace it by
// loads.
// want: race shared at CHANGE COMPARE
#include "turns.h"
#include <string.h>

int shared, other;
static int equal;
void first(void) { shared = 1; /* CHANGE */ }
void second(void) { equal = memcmp(&shared, &other, sizeof shared) == 0; /* COMPARE */ }
int after(void) { return equal; }
