// want: race
// tsan: it does not support C11 threads
// A C11 condition variable is destroyed while another thread may still signal it.
#include "order.h"
#include <threads.h>

cnd_t changed;

static int user(void *arg)
{
    cnd_signal(&changed);
    order_point(0);
    return arg != NULL;
}

int main(void)
{
    thrd_t t;
    cnd_init(&changed);
    thrd_create(&t, user, NULL);
    order_point(1);
    cnd_destroy(&changed);
    return thrd_join(t, NULL);
}
