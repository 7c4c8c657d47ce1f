// A cancelled thread: its cleanup handlers belong to it, and the join is ordered after all of it.
// want: none
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t never;
int x;

static void cleanup(void *arg) { *(int *)arg += 10; }

static __attribute__((noinline)) void wait_in_vain(void)
{
    pthread_cleanup_push(cleanup, &x);
    order_point(0);
    sem_wait(&never);
    pthread_cleanup_pop(0);
}

static void *worker(void *arg)
{
    x = 1;
    wait_in_vain();
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED && x == 11);
    return 0;
}
