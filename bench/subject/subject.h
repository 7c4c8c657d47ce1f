/*
 * subject.h - common parts of the subjects of bench/pecan. Each is a small program with the
 * anomaly for which the subject of that name in the paper is known; with -DTWIN it is the correct
 * program, which must have no findings. The programs are new; only names and bugs come from the
 * paper.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Synchronisation that the program lacks and its twin has. */
#ifdef TWIN
#define TWIN_LOCK(m) pthread_mutex_lock(m)
#define TWIN_UNLOCK(m) pthread_mutex_unlock(m)
#else
#define TWIN_LOCK(m) ((void)(m))
#define TWIN_UNLOCK(m) ((void)(m))
#endif

#define LOCK(m) pthread_mutex_lock(m)
#define UNLOCK(m) pthread_mutex_unlock(m)

/* Damage with a visible effect. */
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
