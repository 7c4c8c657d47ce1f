// printf reads the strings it is given, and its output creates no order.
// want: race s1 at W1 R1
// want: race s2 at W2 R2
// want: race n at W3 R3
// flags: -fno-builtin
// stdout: first
// stdout: abc abc 12
#include "turns.h"
#include <stdio.h>

char s1[8] = "abc", s2[8] = "abc";
int n;

void first(void)
{
    s1[3] = 0;   /* W1 */
    s2[0] = 'a'; /* W2 */
    n = 1;       /* W3 */
    printf("first\n");
}
void second(void)
{
    char to[32];
    sprintf(to, "%*d %4.1f %s", 3, 1, 1.5, s1); /* R1 */
    snprintf(to, 32, "%.1s", s2);                /* R2 */
    sprintf(to, "%d%n", 12, &n);                 /* R3 */
    printf("%s abc %s\n", "abc", to);
}
