/*
 * hunt.h - what the subjects of `pf hunt` share.
 *
 * Each subject has a race that its seed input cannot reach. Its header says which input and which
 * schedule do. Built with -DRACE_FREE, a subject is its own race-free twin: GUARD and UNGUARD then
 * use a lock, and all accesses to shared data are ordered.
 *
 * Lines of the header that tools read:
 *     // args: WORD...     the arguments of the seed command
 *     // stdin: TEXT       a line of its standard input
 *     // env: NAME=VALUE   a variable of its environment
 *     // file: NAME=TEXT   a file in its folder, with this line; several lines: one after the other
 *     // hex: NAME=BYTES   a file in its folder, with these bytes
 *     // input: SPEC       the input that may change, as for pf hunt --input
 *     // race: A B         a race: between the lines that are marked with the comments A and B;
 *                          A B in phase N: pf hunt finds it in this phase
 *     // runs: N           the number of runs that pf hunt may make (default 60)
 */
#ifndef PF_SUBJECT_HUNT_H
#define PF_SUBJECT_HUNT_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
#ifdef RACE_FREE
#define GUARD() pthread_mutex_lock(&guard)
#define UNGUARD() pthread_mutex_unlock(&guard)
#else
#define GUARD() ((void)&guard)
#define UNGUARD() ((void)0)
#endif

/* Runs both functions, each in a thread of its own, and waits for them. */
static inline void run_two(void *(*f)(void *), void *(*g)(void *), void *arg)
{
    pthread_t a, b;
    pthread_create(&a, NULL, f, arg);
    pthread_create(&b, NULL, g, arg);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

/* Reads standard input up to its end, or until `room` bytes are read. Returns their number. */
static inline size_t read_input(unsigned char *to, size_t room)
{
    size_t n = 0;
    ssize_t got;
    while (n < room && (got = read(0, to + n, room - n)) > 0)
        n += (size_t)got;
    return n;
}

#endif
