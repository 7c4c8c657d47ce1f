#include "turns.h"
int shared;
__attribute__((noinline)) void set(int c)
{
    if (c > 3)
        shared = c;
    else
        shared = c + 1;
}
void first(void) { set(7); }
void second(void) { set(1); }
