/* open_descriptors.c - see open_descriptors.h. */
#include "open_descriptors.h"
#include "sys.h"
#include <poll.h>

void pf_open_descriptors(bool open[PF_OPEN_DESCRIPTORS])
{
    static struct pollfd at[PF_OPEN_DESCRIPTORS];
    for (int fd = 0; fd < PF_OPEN_DESCRIPTORS; fd++)
        at[fd] = (struct pollfd){.fd = fd};
    long n = pf_sys(SYS_poll, at, PF_OPEN_DESCRIPTORS, 0);
    for (int fd = 0; fd < PF_OPEN_DESCRIPTORS; fd++)
        open[fd] = n < 0 || !(at[fd].revents & POLLNVAL);
}
