// A volatile flag creates no order: both variables race.
// want: race data at PUT TAKE
// want: race flag at SET GET
// tsan: one report, then it gives up the granule of both variables
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
