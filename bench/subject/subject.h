/*
 * subject.h - what the subjects of bench/pecan share. Each is a small program with the anomaly that the
 * subject of that name in the paper is known for; with -DTWIN it is the program as it should be, in which
 * nothing may be found. Written here; only names and faults are the paper's.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the program forgets, and its twin does. */
#ifdef TWIN
#define TWIN_LOCK(m) pthread_mutex_lock(m)
#define TWIN_UNLOCK(m) pthread_mutex_unlock(m)
#else
#define TWIN_LOCK(m) ((void)(m))
#define TWIN_UNLOCK(m) ((void)(m))
#endif

#define LOCK(m) pthread_mutex_lock(m)
#define UNLOCK(m) pthread_mutex_unlock(m)

/* Damage that somebody would notice. */
#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #what);               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static inline void run_threads(void *(*const body[])(void *), void *const arg[], int n)
{
    pthread_t t[16];
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, body[i], arg ? arg[i] : NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

#endif
