// The stack of a callback from the C library includes the caller of the library.
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
