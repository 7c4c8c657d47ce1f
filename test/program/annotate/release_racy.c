// Release and acquire of two different keys.
// want: race x at FIRST SECOND
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

int key, other;
int x;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    PF_RELEASE(&key);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    PF_ACQUIRE(&other);
    x = 2; /* SECOND */
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
