// Accesses that the program excludes from checking; locks inside still create order.
// want: none
#include "../../../include/photofinish.h"
#include "order.h"
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int y;
int x;

static void *first(void *arg)
{
    y = 1;
    PF_IGNORE_BEGIN();
    PF_IGNORE_BEGIN();
    PF_IGNORE_END();
    x = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    PF_IGNORE_END();
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    PF_IGNORE_BEGIN();
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x = 2;
    PF_IGNORE_END();
    y = 2;
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
