// The buffers of readv and writev, each as far as it was used.
// want: race out at CHANGE SEND
// want: race in at FILL USE
#include "turns.h"
#include <sys/uio.h>
#include <unistd.h>

char out[8] = "abcdefg", in[8], rest[8];
int a[2], b[2];
static _Thread_local volatile long sink;
void before(void)
{
    sink = pipe(a);
    sink = pipe(b);
    sink = write(b[1], "abc", 3);
}
void first(void)
{
    out[5] = 'x'; /* CHANGE */
    struct iovec v[2] = {{in, 3}, {rest, 8}};
    sink = readv(b[0], v, 2); /* FILL */
}
void second(void)
{
    struct iovec v[2] = {{out, 2}, {out + 4, 2}};
    sink = writev(a[1], v, 2); /* SEND */
    sink = in[2];              /* USE */
    sink = rest[0];
}
