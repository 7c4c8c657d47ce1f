// A block is used long after it was freed under a lock. The locksets of epochs that happened before
// everything are forgotten, but the report still names the lock that was held at the free.
// levels: O1
// case: run
// exit: 66
// err: heap-use-after-free
// err: by thread T1 (mutexes: write M0):
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

enum { LOCKS = 600, ROUNDS = 40000 };

static int *block;
static volatile int seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, lock[LOCKS];
static int count[LOCKS];

/* Makes many epochs, each under one of many locks. */
static void work(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock[i % LOCKS]);
        count[i % LOCKS]++;
        pthread_mutex_unlock(&lock[i % LOCKS]);
    }
}

static void *owner(void *arg)
{
    work();
    pthread_mutex_lock(&m);
    free(block);
    pthread_mutex_unlock(&m);
    work();
    order_point(0);
    return arg;
}

static void *user(void *arg)
{
    order_point(1);
    work();
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    seen = block[3];
    return arg;
}

int main(void)
{
    pthread_t a, b;
    block = calloc(1, 40);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
