// A C11 mutex: both writes inside.
// want: none
// tsan: it does not support C11 threads
#include "order.h"
#include <threads.h>

mtx_t m;
int x;

static int first(void *arg)
{
    mtx_lock(&m);
    x = 1;
    mtx_unlock(&m);
    order_point(0);
    return arg != NULL;
}

static int second(void *arg)
{
    order_point(1);
    mtx_lock(&m);
    x = 2;
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
