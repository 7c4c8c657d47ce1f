// A race that the program declares benign.
// want: none
// oracle: it does not know what the program declares benign
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

long y;
int x;

static void *first(void *arg)
{
    x = 1;
    y = 1;
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    x = 2;
    y = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    PF_BENIGN(x, "a statistic");
    PF_BENIGN(y, "another");
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
