// Floating point values of all three sizes.
// want: race f at F1 F2
// want: race d at D1 D2
// want: race x at X1 X2
// tsan: x87 values are not instrumented
#include "turns.h"

float f;
double d;
long double x;

void first(void)
{
    f = 1.5f; /* F1 */
    d = 2.5;  /* D1 */
    x = 3.5L; /* X1 */
}

void second(void)
{
    f += 1; /* F2 */
    d += 1; /* D2 */
    x += 1; /* X2 */
}
