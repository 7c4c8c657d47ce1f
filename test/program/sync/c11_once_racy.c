// The thread that ran the initialiser of call_once writes after it returned.
// want: race x at FIRST SECOND
// tsan: it does not support C11 threads
#include "order.h"
#include <threads.h>

once_flag once = ONCE_FLAG_INIT;

static void init(void) {}

int x;

static int first(void *arg)
{
    call_once(&once, init);
    x = 1; /* FIRST */
    order_point(0);
    return arg != NULL;
}

static int second(void *arg)
{
    order_point(1);
    call_once(&once, init);
    x = 2; /* SECOND */
    return arg != NULL;
}

int main(void)
{
    thrd_t a, b;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return 0;
}
