// A spin lock: the first write is after the unlock.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

pthread_spinlock_t s;
int x;

static void *first(void *arg)
{
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_spin_lock(&s);
    x = 2; /* SECOND */
    pthread_spin_unlock(&s);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_spin_destroy(&s);
    return 0;
}
