// Accesses before epoll_ctl are ordered before those after epoll_wait; so are accesses before a
// write to a watched descriptor, even if no thread reads it.
// want: none
#include "turns.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct job {
    int value;
} job;
int shared, poller, event;

void before(void)
{
    poller = epoll_create1(0);
    event = eventfd(0, 0);
    struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    epoll_ctl(poller, EPOLL_CTL_ADD, event, &e);
}
void first(void)
{
    job.value = 1;
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = &job};
    epoll_ctl(poller, EPOLL_CTL_MOD, event, &e);
    shared = 1;
    eventfd_write(event, 1);
}
void second(void)
{
    struct epoll_event e;
    if (epoll_wait(poller, &e, 1, -1) == 1)
        ((struct job *)e.data.ptr)->value++;
    shared++;
}
int after(void) { return shared + job.value != 4; }
