// memmove reads its source.
// want: race buffer at MOVE BYTE
#include "turns.h"
#include <string.h>

char buffer[200];
volatile size_t size = 50;

void first(void) { memmove(buffer + 20, buffer, size); /* MOVE */ }
void second(void) { buffer[5] = 1; /* BYTE */ }
