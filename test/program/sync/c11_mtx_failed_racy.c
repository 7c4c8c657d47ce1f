// A C11 lock that fails creates no order.
// want: race x at FIRST SECOND
// tsan: it does not support C11 threads
#include "order.h"
#include <assert.h>
#include <threads.h>

mtx_t m;
int x;

static int first(void *arg)
{
    x = 1; /* FIRST */
    mtx_lock(&m);
    order_point(0);
    return arg != NULL;
}

static int second(void *arg)
{
    order_point(1);
    assert(mtx_trylock(&m) == thrd_busy);
    x = 2; /* SECOND */
    return arg != NULL;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&m, mtx_plain);
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return 0;
}
