// Standard input and output may be pipes: printing creates no order with the reader of the input.
// want: race shared at A B
// stdin: x
// stdout: first
#include "turns.h"
#include <stdio.h>

int shared;
static _Thread_local volatile long sink;
void first(void)
{
    shared = 1; /* A */
    printf("first\n");
    fflush(stdout);
}
void second(void)
{
    sink = getchar();
    shared = 2; /* B */
}
