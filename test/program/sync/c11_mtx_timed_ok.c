// mtx_timedlock: both writes inside.
// want: none
// tsan: it does not support C11 threads
#include "order.h"
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t m;
const struct timespec far = {4000000000, 0};
int x;

static int first(void *arg)
{
    assert(mtx_timedlock(&m, &far) == thrd_success);
    x = 1;
    mtx_unlock(&m);
    order_point(0);
    return arg != NULL;
}

static int second(void *arg)
{
    order_point(1);
    assert(mtx_timedlock(&m, &far) == thrd_success);
    x = 2;
    mtx_unlock(&m);
    return arg != NULL;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&m, mtx_timed);
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    mtx_destroy(&m);
    return 0;
}
