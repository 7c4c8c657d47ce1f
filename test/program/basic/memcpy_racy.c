// memcpy with a size known only at run time, against a byte in its middle.
// want: race at COPY BYTE
#include "turns.h"
#include <string.h>

char to[100], from[100];
volatile size_t size = 77;

void first(void) { memcpy(to, from, size); /* COPY */ }
void second(void) { to[40] = 1; /* BYTE */ }
