// Order that only the annotation creates.
// want: none
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

int key;
int x;

static void *first(void *arg)
{
    x = 1;
    PF_RELEASE(&key);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    PF_ACQUIRE(&key);
    x = 2;
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
