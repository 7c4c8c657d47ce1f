/*
 * turns.h - a minimal program with threads, for tests of two or three pieces of code.
 *
 * Model:   a test defines first(), second() and optionally third(); each runs in its own thread,
 *          and each has ended before the next one starts, but no happens-before edge orders them.
 *          before() and after(), if defined, run in the main thread: before the threads are
 *          created, and after they were joined. The exit status is the result of after(), or 0.
 */
#ifndef TURNS_H
#define TURNS_H

#include "order.h"
#include <pthread.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void first(void);
void second(void);
__attribute__((weak)) void third(void);
__attribute__((weak)) void before(void);
__attribute__((weak)) int after(void);
#ifdef __cplusplus
}
#endif

static void *turn_first(void *arg)
{
    order_point(0);
    first();
    order_point(1);
    return arg;
}

static void *turn_second(void *arg)
{
    order_point(2);
    second();
    order_point(3);
    return arg;
}

static void *turn_third(void *arg)
{
    order_point(4);
    if (third)
        third();
    order_point(5);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    if (before)
        before();
    pthread_create(&a, NULL, turn_first, NULL);
    pthread_create(&b, NULL, turn_second, NULL);
    pthread_create(&c, NULL, turn_third, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return after ? after() : 0;
}

#endif
