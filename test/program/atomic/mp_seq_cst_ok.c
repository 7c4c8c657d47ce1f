// Message passing with the default order.
// want: none
#include "turns.h"
#include <stdatomic.h>

int data, seen;
atomic_bool flag;

void first(void)
{
    data = 42;
    flag = 1;
}

void second(void)
{
    while (!flag)
        ;
    seen = data;
}

int after(void) { return seen != 42; }
