/* Two threads write `last` and read the clock. The times go to standard error, or to SHOWN_ON. */
#ifndef SHOWN_ON
#define SHOWN_ON stderr
#endif
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int last;
static long took[2];
static void show(void);

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *work(void *number)
{
    long begin = now();
    last = (int)(long)number;
    took[(long)number] = now() - begin;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    long begin = now();
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    fprintf(SHOWN_ON, "took %ld ns: %ld, %ld\n", now() - begin, took[0], took[1]);
    show();
    return 0;
}
