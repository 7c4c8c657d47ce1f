// Code that is not executed makes no access: stores and loads under a condition.
// want: none
#include "turns.h"

int flag, shared, array[4];
volatile int never;

void first(void)
{
    if (never)
        shared = 1;
    array[0] = never ? shared : 2;
}

void second(void)
{
    shared = 2;
    for (int i = 0; i < never; i++)
        array[0] = i;
}
