/*
 * explore.h - common parts of the subjects of bench/explore. Each is a small program with a bug
 * that only some schedules show. The programs are new; the bugs are those that published suites of
 * concurrency bugs describe. The head of each file says what is wrong and which schedule fails.
 *
 *     // variants: N=2 N=5      the program is built once with each of these definitions
 *     // fails: deadlock        how it fails: assertion, deadlock, memory or crash
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#undef NDEBUG
#include <assert.h>

#define LOCK(m) pthread_mutex_lock(m)
#define UNLOCK(m) pthread_mutex_unlock(m)
#define MUTEX PTHREAD_MUTEX_INITIALIZER

#define THREADS_MAX 128
static pthread_t explore_threads[THREADS_MAX];
static int explore_count;

/* Starts a thread; its argument is a number. */
static inline void start(void *(*body)(void *), long arg)
{
    pthread_create(&explore_threads[explore_count++], NULL, body, (void *)arg);
}

static inline void join_all(void)
{
    for (int i = 0; i < explore_count; i++)
        pthread_join(explore_threads[i], NULL);
}

#endif
