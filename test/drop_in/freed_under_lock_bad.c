// want: use-after-free
// text: heap-use-after-free
// text: freed_under_lock_bad.c:19:12 in user
// text: by thread T1 (mutexes: write M0):
// text: by main thread (mutexes: write M0):
// text: Previous free of size 4
// A block is used after it was freed; a lock orders the free and the use, so it is not a race.
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *block;

static void *user(void *arg)
{
    order_point(1);
    pthread_mutex_lock(&m);
    *block = 2;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(sizeof *block);
    *block = 1;
    pthread_create(&t, NULL, user, NULL);
    pthread_mutex_lock(&m);
    free(block);
    pthread_mutex_unlock(&m);
    order_point(0);
    pthread_join(t, NULL);
    return 0;
}
