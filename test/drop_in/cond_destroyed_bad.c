// want: race
// A condition variable is destroyed while another thread may still signal it.
#include "order.h"
#include <pthread.h>

pthread_cond_t changed;

static void *user(void *arg)
{
    pthread_cond_signal(&changed);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_cond_init(&changed, NULL);
    pthread_create(&t, NULL, user, NULL);
    order_point(1);
    pthread_cond_destroy(&changed);
    pthread_join(t, NULL);
    return 0;
}
