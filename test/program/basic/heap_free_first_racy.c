// A block is used after another thread freed it.
// want: race at FREE:free USE:read
// tsan: it reports a use after free, with the free as the earlier access
#include "turns.h"
#include <stdlib.h>

int *block;
int seen;

void before(void) { block = calloc(1, 40); }
void first(void) { free(block); /* FREE */ }
void second(void) { seen = block[3]; /* USE */ }
