// A block is freed, unordered with another thread's recent use.
// want: race at USE:write FREE:free
#include "turns.h"
#include <stdlib.h>

int *block;

void before(void) { block = malloc(40); }
void first(void) { block[3] = 1; /* USE */ }
void second(void) { free(block); /* FREE */ }
