/*
 * two.h - the smallest program with two threads, for tests that are about two pieces of code.
 *
 * Model:   a test defines first() and second(), each is run by a thread of its own; first() is really
 *          over before second() begins, and nothing that a detector sees orders them.
 *          before() and after(), if there, are run by the main thread: before the threads are
 *          created, after they were joined. The program's status is what after() returns, or 0.
 */
#ifndef TWO_H
#define TWO_H

#include "order.h"
#include <pthread.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void first(void);
void second(void);
__attribute__((weak)) void before(void);
__attribute__((weak)) int after(void);
#ifdef __cplusplus
}
#endif

static void *two_first(void *arg)
{
    first();
    order_point(0);
    return arg;
}

static void *two_second(void *arg)
{
    order_point(1);
    second();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (before)
        before();
    pthread_create(&a, NULL, two_first, NULL);
    pthread_create(&b, NULL, two_second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return after ? after() : 0;
}

#endif
