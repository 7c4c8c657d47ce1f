/*
 * tally.c - four threads (clerks) count visitors in one variable, which has a data race.
 *
 * With -DFIXED the variable is incremented under a lock, and nothing is reported.
 */
#include <pthread.h>
#include <stdio.h>

enum { CLERKS = 4, VISITORS = 1000 };

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static long tally;

static __attribute__((noinline)) void count_one(void)
{
#ifdef FIXED
    pthread_mutex_lock(&desk);
    tally++;
    pthread_mutex_unlock(&desk);
#else
    tally++;
#endif
}

static void *clerk(void *arg)
{
    for (int i = 0; i < VISITORS; i++)
        count_one();
    return arg;
}

int main(void)
{
    pthread_t clerks[CLERKS];
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerks[i], NULL, clerk, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    pthread_mutex_lock(&desk);
    printf("%d visitors came, %ld were counted\n", CLERKS * VISITORS, tally);
    pthread_mutex_unlock(&desk);
    return 0;
}
