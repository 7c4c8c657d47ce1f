/* The loops of loop_wide_racy.c and loop_wide_strict_racy.c. */
#include "turns.h"

typedef long vec __attribute__((vector_size(32)));
long first_of[300], middle_of[300], last_of[300], part_of[300], near[300], back[300];
double out[300];
vec wide[80];
volatile int n = 300, one = 1;
static __thread volatile long sink;

void first(void)
{
    int end = n;
    long s = 0;
    for (int i = one; i < end; i++)
        first_of[i] = i; /* A */
    for (int i = 0; i < end; i++)
        s ^= middle_of[i]; /* C */
    for (int i = 0; i < end; i++)
        last_of[i] += i; /* E */
    for (int i = 0; i < end; i++)
        part_of[i] = 3 * i; /* G */
    for (int i = one; i < end - 1; i++)
        out[i] = near[i - 1] * 0.5 + near[i] + near[i + 1]; /* I */
    for (int i = 0; i < end / 4; i++)
        wide[i] = (vec){i, i, s, i}; /* K */
    sink = s;
}

void second(void)
{
    first_of[0] = 1; /* before it */
    first_of[one] = 1; /* B */
    middle_of[150] = 1; /* D */
    sink = last_of[299]; /* F */
    ((char *)&part_of[37])[5] = 1; /* H */
    near[0] = 1; /* J */
    sink = wide[74][3]; /* L */
    sink = wide[75][0]; /* after it */
    int end = n;
    for (int i = 0; i < end; i++)
        back[i] = i; /* M */
}

void third(void)
{
    long s = 0;
    for (int i = 299; i >= 100; i--)
        s ^= back[i]; /* N */
    sink = s;
}
