// Cancelling creates no order: the canceller writes before it cancels, the cleanup handler writes
// too.
// want: race x at MAIN CLEANUP
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

sem_t never;
int x;

static void cleanup(void *arg) { *(int *)arg += 10; /* CLEANUP */ }

static void *worker(void *arg)
{
    pthread_cleanup_push(cleanup, &x);
    order_point(0);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    x = 1; /* MAIN */
    pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}
