// The offsets of sendfile and copy_file_range: at the end of the file they are only read.
// want: none
#define _GNU_SOURCE
#include "turns.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

off_t end = 100;
int file, other;
static _Thread_local volatile long sink;
void before(void)
{
    file = memfd_create("from", 0);
    other = memfd_create("to", 0);
    sink = write(file, "abcdefgh", 8);
}
void first(void) { sink = sendfile(other, file, &end, 3); }
void second(void) { sink = end; }
