// More epochs than a slot can count: a very old access is still known, with its stack.
// want: race shared at EARLY LATE
// stack: EARLY set worker
// oracle: too many events for it
// tsan: the first access is evicted
#include "order.h"
#include <pthread.h>

enum { ROUNDS = 1300000 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;
long guarded;

static __attribute__((noinline)) void set(void)
{
    shared = 1; /* EARLY */
    __asm__ volatile("");
}

static void *worker(void *arg)
{
    set();
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        guarded++;
        pthread_mutex_unlock(&lock);
    }
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    shared = 2; /* LATE */
    pthread_mutex_lock(&lock);
    long seen = guarded;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return seen != ROUNDS;
}
