// A lock that the program implements and annotates.
// want: none
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

char lock;
int x;

static void *first(void *arg)
{
    PF_LOCK_TAKEN(&lock);
    x = 1;
    PF_LOCK_DROPPING(&lock);
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
    PF_LOCK_INIT(&lock);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    PF_LOCK_DESTROY(&lock);
    return 0;
}
