// An exit handler is ordered after the accesses that the registering thread made before.
// want: none
#include "turns.h"
#include <stdlib.h>

int shared, other;
static void at_end(void) { shared++; }
static void with_status(int status, void *arg) { *(int *)arg = status; }

void first(void)
{
    shared = 1;
    atexit(at_end);
    other = 1;
    on_exit(with_status, &other);
}
void second(void) { exit(0); }
