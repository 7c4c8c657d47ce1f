// mtx_trylock: the first write is after the unlock.
// want: race x at FIRST SECOND
// tsan: it does not support C11 threads
#include "order.h"
#include <assert.h>
#include <threads.h>

mtx_t m;
int x;

static int first(void *arg)
{
    assert(mtx_trylock(&m) == thrd_success);
    mtx_unlock(&m);
    x = 1; /* FIRST */
    order_point(0);
    return arg != NULL;
}

static int second(void *arg)
{
    order_point(1);
    assert(mtx_trylock(&m) == thrd_success);
    x = 2; /* SECOND */
    mtx_unlock(&m);
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
    mtx_destroy(&m);
    return 0;
}
