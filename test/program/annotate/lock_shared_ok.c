// An annotated read-write lock: the writer is ordered after the reader.
// want: none
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

char lock;
int x;

static void *first(void *arg)
{
    PF_LOCK_TAKEN_SHARED(&lock);
    (void)*(volatile int *)&x;
    PF_LOCK_DROPPING_SHARED(&lock);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    PF_LOCK_TAKEN(&lock);
    x = 2;
    PF_LOCK_DROPPING(&lock);
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
