// aio_write reads its buffer.
// want: race out at CHANGE SEND
#include "turns.h"
#include <aio.h>
#include <errno.h>
#include <stdio.h>

char out[8] = "abc";
static FILE *f;
static struct aiocb a;
void before(void)
{
    f = tmpfile();
    a = (struct aiocb){.aio_fildes = fileno(f), .aio_buf = out, .aio_nbytes = 4};
}
void first(void) { out[2] = 'x'; /* CHANGE */ }
void second(void) { aio_write(&a); /* SEND */ }
int after(void)
{
    while (aio_error(&a) == EINPROGRESS)
        ;
    return aio_return(&a) != 4;
}
