// A heap block that both threads use.
// want: race at FIRST SECOND
#include "turns.h"
#include <stdlib.h>

int *block;

void before(void) { block = malloc(40); }
void first(void) { block[3] = 1; /* FIRST */ }
void second(void) { block[3] = 2; /* SECOND */ }
