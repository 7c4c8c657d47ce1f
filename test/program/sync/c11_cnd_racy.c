// Only the mutex of a C11 condition variable creates order: both threads write after their unlock.
// want: race x at SIGNALLER WAITER
// tsan: it does not support C11 threads
#include "order.h"
#include <threads.h>

mtx_t m;
cnd_t c;
int ready, x;

static int waiter(void *arg)
{
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    order_point(1);
    x = 2; /* WAITER */
    return arg != NULL;
}

int main(void)
{
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, waiter, NULL);
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    x = 1; /* SIGNALLER */
    order_point(0);
    thrd_join(t, NULL);
    return 0;
}
