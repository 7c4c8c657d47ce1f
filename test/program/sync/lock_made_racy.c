// One thread initialises a spin lock and another one locks it, without order in between.
// want: race at MAKE:write ASK:lock
#include "order.h"
#include <pthread.h>

pthread_spinlock_t s;

static void *maker(void *arg)
{
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE); /* MAKE */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, maker, NULL);
    order_point(1);
    pthread_spin_lock(&s); /* ASK */
    pthread_spin_unlock(&s);
    pthread_join(t, NULL);
    return 0;
}
