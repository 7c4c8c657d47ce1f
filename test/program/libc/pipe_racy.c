// A pipe orders the writer before the reader, not the reverse; another pipe creates no order.
// tsan: it reports one race per eight bytes
// want: race shared at AFTER READER
// want: race other at WRITER2 READER2
#include "turns.h"
#include <unistd.h>

int shared, other, a[2], b[2];
static _Thread_local volatile long sink;
void before(void)
{
    sink = pipe(a);
    sink = pipe(b);
    sink = write(b[1], "y", 1);
}
void first(void)
{
    sink = write(a[1], "x", 1);
    shared = 1; /* AFTER */
    other = 1; /* WRITER2 */
}
void second(void)
{
    char c;
    sink = read(a[0], &c, 1);
    shared = 2; /* READER */
    sink = read(b[0], &c, 1);
    other = 2; /* READER2 */
}
