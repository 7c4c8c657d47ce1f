// Two different eventfds create no order.
// want: race shared at A B
#include "turns.h"
#include <sys/eventfd.h>

int shared, one, two;
void before(void)
{
    one = eventfd(0, 0);
    two = eventfd(1, 0);
}
void first(void)
{
    shared = 1; /* A */
    eventfd_write(one, 1);
}
void second(void)
{
    eventfd_t n;
    eventfd_read(two, &n);
    shared = 2; /* B */
}
