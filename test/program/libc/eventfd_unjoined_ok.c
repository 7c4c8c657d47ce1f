// One eventfd is the only synchronisation.
// want: none
#include "turns.h"
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int shared, fd;
static _Thread_local volatile long sink;
void before(void) { fd = eventfd(0, 0); }
void first(void)
{
    shared = 1;
    uint64_t one = 1;
    sink = write(fd, &one, 8);
}
void second(void)
{
    eventfd_t n;
    eventfd_read(fd, &n);
    shared = 2;
}
