// memset of a constant size.
// want: race at SET READ
#include "turns.h"
#include <string.h>

long shared[64];
long seen;

void first(void) { memset(shared, 0, sizeof shared); /* SET */ }
void second(void) { seen = shared[63]; /* READ */ }
