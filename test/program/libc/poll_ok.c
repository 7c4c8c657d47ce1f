// poll, select: a thread that sees a descriptor ready is ordered after its writer.
// tsan: a ready descriptor creates no order
// want: none
#include "turns.h"
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

int one, two, a[2], b[2];
static _Thread_local volatile long sink;
void before(void)
{
    sink = pipe(a);
    sink = pipe(b);
}
void first(void)
{
    one = 1;
    sink = write(a[1], "x", 1);
    two = 1;
    sink = write(b[1], "x", 1);
}
void second(void)
{
    struct pollfd p = {.fd = a[0], .events = POLLIN};
    if (poll(&p, 1, -1) == 1)
        one++;
    fd_set s;
    FD_ZERO(&s);
    FD_SET(b[0], &s);
    if (select(b[0] + 1, &s, NULL, NULL, NULL) == 1)
        two++;
}
int after(void) { return one + two != 4; }
