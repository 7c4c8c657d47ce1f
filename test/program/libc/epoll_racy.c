// If no descriptor is ready, there is no order; and epoll_wait writes its array of events.
// tsan: it does not see the array that epoll_wait fills
// want: race shared at A B
// want: race events at FILL READ
#include "turns.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>

int shared, poller, event, ready;
struct epoll_event events[4];
static _Thread_local volatile long sink;
void before(void)
{
    poller = epoll_create1(0);
    event = eventfd(0, 0);
    ready = eventfd(1, 0);
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, event, &e);
}
void first(void)
{
    shared = 1; /* A */
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_MOD, event, &e);
}
void second(void)
{
    sink = epoll_wait(poller, events, 4, 0);
    shared = 2; /* B */
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, ready, &e);
    sink = epoll_wait(poller, events, 4, 0); /* FILL */
}
void third(void)
{
    sink = events[0].events; /* READ */
    sink = events[1].events;
}
