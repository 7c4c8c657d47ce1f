// A block is freed while another thread has only accessed it atomically: also a race.
// want: race at USE:atomic-write FREE:free
#include "turns.h"
#include <stdatomic.h>
#include <stdlib.h>

atomic_int *block;

void before(void) { block = calloc(1, sizeof *block); }
void first(void) { atomic_store(block, 1); /* USE */ }
void second(void) { free(block); /* FREE */ }
