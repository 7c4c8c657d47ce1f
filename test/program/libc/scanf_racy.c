// scanf writes what it converts, and no more than that.
// want: race i at W1 R1
// want: race d at W1 R2
// want: race s at W1 R3
// want: race l at W2 R4
// want: race n at W3 R5
// want: race n2 at W4 R6
// stdin: 7
#include "turns.h"
#include <stdio.h>

int i, not_reached, n, n2, n3, n4;
double d;
char s[8];
long l;
static _Thread_local volatile double sink;

void first(void)
{
    sink = sscanf("12 2.5 xyz rest", "%d %lf %7[a-z] %d", &i, &d, s, &not_reached); /* W1 */
    sink = scanf("%ld", &l);                                                       /* W2 */
    int value, value2;
    sink = sscanf("5 ", "%d %n", &value, &n);                   /* W3 */
    sink = sscanf("5x6", "%dx%n%d", &value, &n2, &value2);      /* W4 */
    sink = sscanf("5x", "%d y%n", &value, &n3); /* ends before the y */
    sink = sscanf("5x", "%d%*d%n", &value, &n4);
}
void second(void)
{
    sink = i;    /* R1 */
    sink = d;    /* R2 */
    sink = s[3]; /* R3 */
    sink = l;    /* R4 */
    sink = n;    /* R5 */
    sink = n2;   /* R6 */
    sink = not_reached + s[4] + n3 + n4;
}
