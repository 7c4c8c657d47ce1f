// The race is on the neighbour of the variable that was declared benign.
// want: race x at FIRST SECOND
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

int named;
int x;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    named = 1;
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    x = 2; /* SECOND */
    named = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    PF_BENIGN(named, "a statistic");
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
