// A thread that is cancelled in a wait holds the mutex in its cleanup handler.
// want: none
#include "order.h"
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x;

static void cleanup(void *arg)
{
    (void)arg;
    x++;
    pthread_mutex_unlock(&m);
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_cleanup_push(cleanup, NULL);
    order_point(0);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return arg;
}

static void *other(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    void *result;
    pthread_create(&t, NULL, waiter, NULL);
    order_point(1);
    pthread_create(&u, NULL, other, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    pthread_join(u, NULL);
    assert(result == PTHREAD_CANCELED && x == 1002);
    return 0;
}
