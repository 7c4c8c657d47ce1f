// The findings are reported after quick_exit, whose handlers run first.
// tsan: it ends before the handlers of quick_exit
// want: race shared at A B
// want: race late at C D
#include "turns.h"
#include <stdlib.h>

int shared, late;
static void at_end(void) { late = 1; /* D */ }
void before(void) { at_quick_exit(at_end); }
void first(void)
{
    shared = 1; /* A */
    late = 2;   /* C */
}
void second(void)
{
    shared = 2; /* B */
    quick_exit(0);
}
