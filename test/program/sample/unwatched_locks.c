// Locks that are taken repeatedly while nothing is watched, by threads with equal clocks, are cheap
// (lock_unwatched.h). They still create order, also through other locks and other threads, and no
// more order than they should. o: first releases m, second acquires m and releases n, third
// acquires n. r: first releases m before its access. n: second does not take m.
// levels: O2
// case: run --sample={full,literace,atexrace,cross} --state o -- o
// case: run --sample={full,literace,atexrace,cross} --state races -- {r,n}
// exit: 66
// err: #0 touch
// err: #1 first
// err: #1 third
#include "order.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#define HOT 60
volatile int at;
static int mode;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void touch(int rounds)
{
    for (int i = 0; i < rounds; i++)
        at++;
}
__attribute__((noinline)) static void take(pthread_mutex_t *which)
{
    pthread_mutex_lock(which);
    pthread_mutex_unlock(which);
}
__attribute__((noinline)) static void both(bool in_turn)
{
    pthread_mutex_lock(&m);
    if (in_turn) { /* not released in the reverse order */
        pthread_mutex_lock(&n);
        pthread_mutex_unlock(&m);
        pthread_mutex_unlock(&n);
        return;
    }
    take(&n);
    pthread_mutex_unlock(&m);
}
/* The three threads alternate. */
__attribute__((noinline)) static void warm(int self)
{
    for (int i = 0; i < HOT; i++) {
        order_point(i * 6 + self * 2);
        both(i & 1);
        take(&n);
        order_point(i * 6 + self * 2 + 1);
    }
}
static void *first(void *arg)
{
    warm(0);
    order_point(HOT * 6);
    if (mode == 'r')
        take(&m);
    touch(1000);
    if (mode != 'r')
        take(&m);
    order_point(HOT * 6 + 1);
    return arg;
}
static void *second(void *arg)
{
    warm(1);
    order_point(HOT * 6 + 2);
    if (mode != 'n')
        take(&m);
    take(&n);
    order_point(HOT * 6 + 3);
    return arg;
}
static void *third(void *arg)
{
    warm(2);
    order_point(HOT * 6 + 4);
    take(&n);
    touch(1000);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    mode = argv[1][0];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
