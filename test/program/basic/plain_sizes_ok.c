// Every size; each thread has its own variable.
// want: none
#include "turns.h"

struct all {
    char c;
    short s;
    int i;
    long l;
    __int128 w;
    float f;
    double d;
    long double x;
} one, two;

static void fill(struct all *a)
{
    a->c = 1;
    a->s = 2;
    a->i = 3;
    a->l = 4;
    a->w = 5;
    a->f = 6;
    a->d = 7;
    a->x = 8;
}

void first(void) { fill(&one); }
void second(void) { fill(&two); }
