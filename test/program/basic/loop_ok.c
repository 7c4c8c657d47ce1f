// Two loops over disjoint parts of an array.
// want: none
#include "turns.h"

int shared[1000];
volatile int end = 500;

void first(void)
{
    for (int i = 0; i < end; i++)
        shared[i] = i;
}

void second(void)
{
    for (int i = end; i < 1000; i++)
        shared[i] += 1;
}
