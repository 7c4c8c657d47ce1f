// Atomic operations of unwatched code take short paths (begin_unwatched in atomic.c). They still
// create order, also through other variables and other threads, and no more order than they should.
// In case o, first releases m, second acquires m and releases n, third acquires n. r: first
// releases m before its access. n: second does not use m. Capitals: loads and stores, not RMWs.
// levels: O2
// case: run --sample={full,literace,atexrace,cross} --state o -- {o,O}
// case: run --sample={full,literace,atexrace,cross} --state races -- {r,n,R,N}
// exit: 66
// err: #0 touch
// err: #1 first
// err: #1 third
#include "order.h"
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#define HOT 60
volatile int at;
static int mode;
static bool loads;
static atomic_int m, n;
__attribute__((noinline)) static void touch(int rounds)
{
    for (int i = 0; i < rounds; i++)
        at++;
}
__attribute__((noinline)) static void pass(atomic_int *which)
{
    if (loads) {
        int v = atomic_load_explicit(which, memory_order_acquire);
        atomic_store_explicit(which, v + 1, memory_order_release);
    } else {
        atomic_fetch_add_explicit(which, 1, memory_order_acq_rel);
    }
}
/* The three threads alternate. */
__attribute__((noinline)) static void warm(int self)
{
    for (int i = 0; i < HOT; i++) {
        order_point(i * 6 + self * 2);
        pass(&m);
        pass(&n);
        atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
        order_point(i * 6 + self * 2 + 1);
    }
}
static void *first(void *arg)
{
    warm(0);
    order_point(HOT * 6);
    if (mode == 'r')
        pass(&m);
    touch(1000);
    if (mode != 'r')
        pass(&m);
    order_point(HOT * 6 + 1);
    return arg;
}
static void *second(void *arg)
{
    warm(1);
    order_point(HOT * 6 + 2);
    if (mode != 'n')
        pass(&m);
    pass(&n);
    order_point(HOT * 6 + 3);
    return arg;
}
static void *third(void *arg)
{
    warm(2);
    order_point(HOT * 6 + 4);
    pass(&n);
    touch(1000);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    mode = tolower(argv[1][0]);
    loads = isupper(argv[1][0]);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
