/* Four threads; each waits in uninstrumented code for the one before it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void wait_still(atomic_int *), wait_counting(atomic_int *, long *), give(atomic_int *);
long wait_secretly(atomic_int *);

#define THREADS 4
static atomic_int turn[THREADS + 1];
static const char *how;
static long rounds;
static int shared;

static void wait_for(atomic_int *flag)
{
    if (!strcmp(how, "counting"))
        wait_counting(flag, &rounds);
    else if (!strcmp(how, "secretly"))
        rounds = wait_secretly(flag);
    else
        wait_still(flag);
}

static void *run(void *arg)
{
    long i = (long)arg;
    if (!strcmp(how, "sleeping") && i == 0)
        sleep(100); /* no other thread can run, but virtual time passes */
    wait_for(&turn[i]);
    shared += (int)i;
    printf("thread %ld: %d\n", i, shared);
    if (strcmp(how, "never"))
        give(&turn[i + 1]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    how = argc > 1 ? argv[1] : "still";
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, run, (void *)i);
    shared = 1;
    give(&turn[0]);
    wait_for(&turn[THREADS]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d, %ld rounds\n", shared, rounds);
    return 0;
}
