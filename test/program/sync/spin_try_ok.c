// pthread_spin_trylock: both writes inside.
// want: none
#include "order.h"
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t s;
int x;

static void *first(void *arg)
{
    assert(pthread_spin_trylock(&s) == 0);
    x = 1;
    pthread_spin_unlock(&s);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(pthread_spin_trylock(&s) == 0);
    x = 2;
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
