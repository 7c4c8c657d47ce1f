// Two unordered writes of the same int.
// want: race shared at FIRST SECOND
// stack: FIRST writer
// stack: SECOND main
#include "order.h"
#include <pthread.h>

int shared;

static void *writer(void *arg)
{
    shared = 1; /* FIRST */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    order_point(1);
    shared = 2; /* SECOND */
    pthread_join(t, NULL);
    return 0;
}
