// want: none
// flags: -fno-inline
// oracle: measures the memory of the process, which the log of all events would change
// direct: measures the memory of the process; a recording keeps the context of every thread
// witness: there is no race
/*
 * ended_threads_memory.c - a thread that has ended keeps almost no memory of the runtime: its
 * caches are returned to the kernel. Fails if the process grows by more than 16 KB a thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 400
#define LIMIT_KB (THREADS * 16l)

/* Different calls fill the cache of calling contexts. */
static int values[32];
#define F(n)                                                                                       \
    static void f##n(void) { values[n]++; }
#define EIGHT(f, a) f(a##0) f(a##1) f(a##2) f(a##3) f(a##4) f(a##5) f(a##6) f(a##7)
EIGHT(F, )
EIGHT(F, 1)
EIGHT(F, 2)
#define NAME(n) f##n,
static void (*const all[])(void) = {EIGHT(NAME, ) EIGHT(NAME, 1) EIGHT(NAME, 2)};

static void *run(void *arg)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]();
    return arg;
}

static void run_threads(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, run, NULL);
        pthread_join(t, NULL);
    }
}

static long resident_kb(void)
{
    long size, pages;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
        abort();
    fclose(f);
    return pages * 4;
}

int main(void)
{
    run_threads();
    long before = resident_kb();
    run_threads();
    long grew = resident_kb() - before;
    if (grew > LIMIT_KB)
        fprintf(stderr, "%d threads that have ended keep %ld KB\n", THREADS, grew);
    return grew > LIMIT_KB;
}
