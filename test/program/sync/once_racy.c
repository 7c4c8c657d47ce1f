// The thread that ran the initialiser writes after pthread_once returned.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int x;

static void init(void) {}

static void *first(void *arg)
{
    pthread_once(&once, init);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_once(&once, init);
    x = 2; /* SECOND */
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
