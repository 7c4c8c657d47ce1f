// The destructor of a key writes, unordered with another thread.
// want: race x at DESTRUCTOR MAIN
#include "order.h"
#include <pthread.h>

pthread_key_t key;
int x;

static void destroy(void *value)
{
    *(int *)value = 1; /* DESTRUCTOR */
    order_point(0);
}

static void *worker(void *arg)
{
    pthread_setspecific(key, &x);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    x = 2; /* MAIN */
    pthread_join(t, NULL);
    return 0;
}
