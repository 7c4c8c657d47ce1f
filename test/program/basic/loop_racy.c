// Two loops over an array that overlap in one element.
// want: race shared at LOWER UPPER
#include "turns.h"

int shared[1000];
volatile int end = 501;

void first(void)
{
    for (int i = 0; i < end; i++)
        shared[i] = i; /* LOWER */
}

void second(void)
{
    for (int i = 500; i < 1000; i++)
        shared[i] += 1; /* UPPER */
}
