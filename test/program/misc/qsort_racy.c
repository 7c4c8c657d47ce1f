// A callback out of the C library stands on the stack with its caller.
// want: race calls at COMPARE SECOND
#include "turns.h"
#include <stdlib.h>

int calls;

static int compare(const void *a, const void *b)
{
    calls++; /* COMPARE */
    return *(const int *)a - *(const int *)b;
}

void first(void)
{
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof(int), compare);
}
void second(void) { calls = 0; /* SECOND */ }
