// read writes the filled part of its buffer; write reads its buffer.
// want: race in at FILL USE
// want: race out at CHANGE SEND
#include "turns.h"
#include <unistd.h>

char in[16], out[16];
int a[2], b[2];
static _Thread_local volatile long sink;
void before(void)
{
    sink = pipe(a);
    sink = pipe(b);
    sink = write(a[1], "abcd", 4);
}
void first(void)
{
    sink = read(a[0], in, sizeof in); /* FILL */
    out[3] = 'x';                     /* CHANGE */
}
void second(void)
{
    sink = in[4];
    sink = in[3];                /* USE */
    sink = write(b[1], out, 4);  /* SEND */
}
