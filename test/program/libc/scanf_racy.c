// scanf writes what it converts, and no more than that.
// want: race i at W1 R1
// want: race d at W1 R2
// want: race s at W1 R3
// want: race l at W2 R4
// stdin: 7
#include "turns.h"
#include <stdio.h>

int i, not_reached;
double d;
char s[8];
long l;
static _Thread_local volatile double sink;

void first(void)
{
    sink = sscanf("12 2.5 xyz rest", "%d %lf %7[a-z] %d", &i, &d, s, &not_reached); /* W1 */
    sink = scanf("%ld", &l);                                                       /* W2 */
}
void second(void)
{
    sink = i;    /* R1 */
    sink = d;    /* R2 */
    sink = s[3]; /* R3 */
    sink = l;    /* R4 */
    sink = not_reached + s[4];
}
