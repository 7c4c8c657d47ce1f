// sem_clockwait: the write is after the post.
// want: race x at FIRST SECOND
// tsan: it does not support the clock variant
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t s;
const struct timespec far = {4000000000, 0};
int x;

static void *first(void *arg)
{
    sem_post(&s);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &far) == 0);
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
