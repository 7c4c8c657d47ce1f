// Sending does not order the sender after the other end.
// want: race shared at A B
#include "turns.h"
#include <sys/socket.h>
#include <unistd.h>

int shared, fds[2];
static _Thread_local volatile long sink;
void before(void) { sink = socketpair(AF_UNIX, SOCK_STREAM, 0, fds); }
void first(void)
{
    sink = write(fds[0], "x", 1);
    shared = 1; /* A */
}
void second(void)
{
    char c;
    sink = write(fds[1], "x", 1);
    sink = read(fds[1], &c, 1);
    shared = 2; /* B */
}
