// The end of a detached C11 thread creates no order.
// want: race x at WORKER MAIN
// tsan: it does not support C11 threads
#include "order.h"
#include <threads.h>

int x;

static int worker(void *arg)
{
    x = 1; /* WORKER */
    order_point(0);
    return arg != NULL;
}

int main(void)
{
    thrd_t t;
    thrd_create(&t, worker, NULL);
    thrd_detach(t);
    order_point(1);
    x = 2; /* MAIN */
    return 0;
}
