// A volatile flag publishes nothing either: both are races.
// want: race data at PUT TAKE
// want: race flag at SET GET
// tsan: one report, then the granule of both variables is given up
#include "turns.h"

volatile int flag;
int data, seen;

void first(void)
{
    data = 42; /* PUT */
    flag = 1;  /* SET */
}

void second(void)
{
    while (!flag) /* GET */
        ;
    seen = data; /* TAKE */
}
