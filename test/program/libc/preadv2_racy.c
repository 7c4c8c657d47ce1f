// The buffers of preadv2, pwritev2 and vmsplice, each as far as it was used.
// want: race out at CHANGE SEND
// want: race in at FILL USE
// want: race page at TOUCH SPLICE
#define _GNU_SOURCE
#include "turns.h"
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

char out[8] = "abcdefg", in[8], rest[8], page[8];
int a[2], b[2], s[2];
static _Thread_local volatile long sink;
void before(void)
{
    sink = pipe(a);
    sink = pipe(b);
    sink = pipe(s);
    sink = write(b[1], "abc", 3);
}
void first(void)
{
    out[5] = 'x'; /* CHANGE */
    struct iovec v[2] = {{in, 3}, {rest, 8}};
    sink = preadv2(b[0], v, 2, -1, 0); /* FILL */
    page[3] = 1;                       /* TOUCH */
}
void second(void)
{
    struct iovec v[2] = {{out, 2}, {out + 4, 2}}, w = {page, 4};
    sink = pwritev2(a[1], v, 2, -1, 0); /* SEND */
    sink = in[2];                       /* USE */
    sink = rest[0];
    sink = vmsplice(s[1], &w, 1, 0); /* SPLICE */
}
