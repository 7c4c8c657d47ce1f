// A condition of the program, PF_INVARIANT: money is moved between two accounts, and an access
// without a lock overwrites one of them. The wrong balance is never printed.
// judge: left spec-violated
// evidence: left invariant sum_is_right
#include "../../include/photofinish.h"
#include <pthread.h>
#include <stdio.h>

volatile int left = 50;
static volatile int right = 50;
static volatile int moving;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int sum_is_right(void) { return moving || left + right == 100; }

static void *move(void *unused)
{
    (void)unused;
    moving = 1;
    left = left - 10;
    right = right + 10;
    moving = 0;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    left = left + 0;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    PF_INVARIANT(sum_is_right);
    pthread_create(&t[0], NULL, move, NULL);
    pthread_create(&t[1], NULL, check, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
