// The accesses are after the end of the ignored section.
// want: race x at FIRST SECOND
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

int y;
int x;

static void *first(void *arg)
{
    PF_IGNORE_BEGIN();
    y = 1;
    PF_IGNORE_END();
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    PF_IGNORE_BEGIN();
    y = 2;
    PF_IGNORE_END();
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
