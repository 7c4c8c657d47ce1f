// A wait that fails creates no order, and errno is the real error.
// want: race x at FIRST SECOND
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t s;
int x;

static void *first(void *arg)
{
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(sem_trywait(&s) == -1 && errno == EAGAIN);
    x = 2; /* SECOND */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_destroy(&s);
    return 0;
}
