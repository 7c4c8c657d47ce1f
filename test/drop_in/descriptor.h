/* descriptor.h - one thread uses a pipe that the other one closes. */
#include "order.h"
#include <pthread.h>
#include <unistd.h>

static int fds[2];

static inline void *user(void *arg)
{
    char byte = 1;
    if (write(fds[1], &byte, 1) != 1)
        _exit(3);
    order_point(0);
    return arg;
}
