// The offsets of sendfile, splice and copy_file_range: read, and stored if bytes were moved.
// tsan: it does not check the offsets
// want: race sent at SENDFILE USE_SENT
// want: race spliced at SPLICE USE_SPLICED
// want: race copied at COPY USE_COPIED
// want: race stored at COPY USE_STORED
// want: race end at CHANGE_END AT_END
#define _GNU_SOURCE
#include "turns.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

off_t sent, unused, end = 100;
off64_t spliced, copied, stored;
int file, other, ends[2];
static _Thread_local volatile long sink;
void before(void)
{
    file = memfd_create("from", 0);
    other = memfd_create("to", 0);
    sink = pipe(ends);
    sink = write(file, "abcdefgh", 8);
}
void first(void)
{
    sink = sendfile(ends[1], file, &sent, 3);                         /* SENDFILE */
    sink = splice(file, &spliced, ends[1], NULL, 3, 0);               /* SPLICE */
    sink = copy_file_range(file, &copied, other, &stored, 3, 0);      /* COPY */
    sink = sendfile(-1, file, &unused, 3); /* fails, and accesses nothing */
    end = 50;                                                         /* CHANGE_END */
}
void second(void)
{
    sink = sent;                                /* USE_SENT */
    sink = spliced;                             /* USE_SPLICED */
    sink = copied;                              /* USE_COPIED */
    sink = stored;                              /* USE_STORED */
    unused = 1;
    sink = sendfile(ends[1], file, &end, 3);    /* AT_END */
}
