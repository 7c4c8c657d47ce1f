// Threads created by a constructor are watched too.
// want: race shared at THREAD MAIN
#include "order.h"
#include <pthread.h>

int shared;
static pthread_t thread;

static void *worker(void *arg)
{
    shared = 1; /* THREAD */
    order_point(0);
    return arg;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_create(&thread, NULL, worker, NULL);
}

int main(void)
{
    order_point(1);
    shared = 2; /* MAIN */
    pthread_join(thread, NULL);
    return 0;
}
