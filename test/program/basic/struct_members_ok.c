// Different members of one structure.
// want: none
#include "turns.h"

struct {
    int a;
    char b;
    char c;
    short d;
    long e;
} shared;

void first(void)
{
    shared.a = 1;
    shared.c = 2;
}

void second(void)
{
    shared.b = 3;
    shared.d = 4;
    shared.e = 5;
}
