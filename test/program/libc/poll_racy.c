// A descriptor that is not ready creates no order.
// want: race shared at A B
#include "turns.h"
#include <poll.h>
#include <unistd.h>

int shared, a[2], b[2];
static _Thread_local volatile long sink;
void before(void)
{
    sink = pipe(a);
    sink = pipe(b);
}
void first(void)
{
    shared = 1; /* A */
    sink = write(a[1], "x", 1);
}
void second(void)
{
    struct pollfd p = {.fd = b[0], .events = POLLIN};
    sink = poll(&p, 1, 0);
    shared = 2; /* B */
}
