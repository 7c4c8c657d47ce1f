// A heap block; each thread uses one half.
// want: none
#include "turns.h"
#include <stdlib.h>

int *block;

void before(void) { block = calloc(10, sizeof *block); }
void first(void) { block[4] = 1; }
void second(void) { block[5] = 2; }

int after(void)
{
    int sum = block[4] + block[5];
    free(block);
    return sum != 3;
}
