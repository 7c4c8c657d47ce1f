// An initialiser that is cancelled is repeated by the next thread, ordered after the first one.
// want: none
// witness: it does not end without its order
// tsan: it never runs the initialiser again
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int x;

static void init(void)
{
    x++;
    if (x == 1) {
        order_point(0);
        for (;;)
            pause();
    }
}

static void *worker(void *arg)
{
    pthread_once(&once, init);
    assert(x == 2);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    void *result;
    pthread_create(&s, NULL, worker, NULL);
    order_point(1);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(s);
    pthread_join(t, NULL);
    pthread_join(s, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
