// The schedule up to the race is long, and the race is on memory that the program maps after it:
// runs that follow the schedule must map it at the same address.
// judge: heap output-differs
// levels: O0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS 3000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static int *block;

static void *alternate(void *number)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        while (turn != (int)(long)number)
            pthread_cond_wait(&changed, &lock);
        turn = !turn;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *set(void *number)
{
    block[1000] = (int)(long)number;
    return NULL;
}

static void run(void *(*body)(void *))
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    run(alternate);
    block = calloc(1 << 20, sizeof *block);
    if (!block)
        return 1;
    run(set);
    printf("%d\n", block[1000]);
    return 0;
}
