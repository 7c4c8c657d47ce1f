/*
 * turns.h - the smallest program with threads, for tests that are about two or three pieces of code.
 *
 * Model:   a test defines first(), second() and perhaps third(); each is run by a thread of its own,
 *          one really over before the next begins, and nothing that a detector sees orders them.
 *          before() and after(), if there, are run by the main thread: before the threads are
 *          created, after they were joined. The program's status is what after() returns, or 0.
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
