// realloc frees the old block even if the address stays: it races with an access before it and
// with one after it.
// want: race at BEFORE RESIZE
// want: race at RESIZE AFTER
#include "turns.h"
#include <stdlib.h>

char *block;
static _Thread_local volatile long sink;
void before(void) { block = malloc(1000); }
void first(void) { block[999] = 1; /* BEFORE */ }
void second(void) { sink = realloc(block, 900) != NULL; /* RESIZE */ }
void third(void) { sink = block[10]; /* AFTER */ }
