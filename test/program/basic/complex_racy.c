// Complex numbers and unions: all of their bytes.
// want: race z at Z1 Z2
// want: race at U1 U2
#include "turns.h"
#include <complex.h>

double complex z;
union {
    float f[4];
    char c[16];
} u;

void first(void)
{
    z = 1 + 2 * I; /* Z1 */
    u.f[3] = 1;    /* U1 */
}

void second(void)
{
    z *= 2;      /* Z2 */
    u.c[13] = 1; /* U2 */
}
