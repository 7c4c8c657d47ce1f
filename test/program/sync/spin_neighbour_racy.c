// Two spin locks in one word are two locks.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

pthread_spinlock_t s[2] __attribute__((aligned(8)));
int x;

static void *first(void *arg)
{
    pthread_spin_lock(&s[0]);
    x = 1; /* FIRST */
    pthread_spin_unlock(&s[0]);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_spin_lock(&s[1]);
    x = 2; /* SECOND */
    pthread_spin_unlock(&s[1]);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&s[0], PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&s[1], PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
