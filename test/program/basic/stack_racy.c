// A variable on main's stack, passed to a thread and used before the join.
// want: race at THREAD MAIN
#include "order.h"
#include <pthread.h>

static void *worker(void *arg)
{
    int *lent = arg;
    *lent = 1; /* THREAD */
    order_point(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int local = 0;
    pthread_create(&t, NULL, worker, &local);
    order_point(1);
    int seen = local; /* MAIN */
    pthread_join(t, NULL);
    return seen != 1;
}
