// A realloc that fails does not change the block.
// tsan: it ends the program when there is no memory
// want: race at A B
#include "turns.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

char *block;
static _Thread_local volatile long sink;
volatile size_t huge = PTRDIFF_MAX / 2;
void before(void)
{
    block = malloc(100);
    block[1] = 1;
    sink = realloc(block, huge) == NULL && errno == ENOMEM;
    block[2] = 1;
}
void first(void) { block[1] = 2; /* A */ }
void second(void) { free(block); /* B */ }
