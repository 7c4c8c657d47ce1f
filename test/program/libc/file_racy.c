// Writing and reading a file creates no order.
// want: race shared at A B
#define _GNU_SOURCE
#include "turns.h"
#include <sys/mman.h>
#include <unistd.h>

int shared, fd;
static _Thread_local volatile long sink;
void before(void) { fd = memfd_create("test", 0); }
void first(void)
{
    shared = 1; /* A */
    sink = pwrite(fd, "x", 1, 0);
}
void second(void)
{
    char c;
    sink = pread(fd, &c, 1, 0);
    shared = 2; /* B */
}
