// The cleanup handler of a cancelled waiter writes after it unlocked; the canceller writes too.
// want: race x at CLEANUP MAIN
#include "order.h"
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x;

static void cleanup(void *arg)
{
    (void)arg;
    pthread_mutex_unlock(&m);
    x = 1; /* CLEANUP */
    order_point(1);
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(cleanup, NULL);
    order_point(0);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    order_wait(1);
    pthread_cancel(t);
    order_point(2);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x = 2; /* MAIN */
    pthread_join(t, NULL);
    return 0;
}
