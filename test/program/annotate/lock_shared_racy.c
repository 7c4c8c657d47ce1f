// An annotated read-write lock: two threads write under the read lock.
// want: race x at FIRST SECOND
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

char lock;
int x;

static void *first(void *arg)
{
    PF_LOCK_TAKEN_SHARED(&lock);
    x = 1; /* FIRST */
    PF_LOCK_DROPPING_SHARED(&lock);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    PF_LOCK_TAKEN_SHARED(&lock);
    x = 2; /* SECOND */
    PF_LOCK_DROPPING_SHARED(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
