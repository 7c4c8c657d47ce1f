// A call of a function that may not be instrumented is an event with the pointers it passes. Calls
// of instrumented functions and of interposed functions are no events here.
// events: 1 call 1 a64l event_calls.c
// events: 1 call 1 - event_calls.c
// no event: call 2 printf
// no event: call 1 add
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int cell;
__attribute__((noinline)) static int add(int *p) { return *p += 1; }
int (*volatile through)(int *) = add;

int main(void)
{
    add(&cell);
    add(&cell);
    int n = through(&cell); // may call any function
    n += (int)a64l("17");
    printf("%d %d\n", cell, n);
    return 0;
}
