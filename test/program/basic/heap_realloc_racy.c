// realloc ends the old block, wherever the new one is.
// want: race at USE GROW
#include "turns.h"
#include <stdlib.h>

int *block, *grown;

void before(void) { block = malloc(40); }
void first(void) { block[3] = 1; /* USE */ }
void second(void) { grown = realloc(block, 400000); /* GROW */ }
