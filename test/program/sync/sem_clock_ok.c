// sem_clockwait after the post.
// want: none
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
    x = 1;
    sem_post(&s);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &far) == 0);
    x = 2;
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
