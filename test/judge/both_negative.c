// Both orders violate the requirement under some schedules, because a thread may end while the
// timestamp is negative. If nothing happens between the two writes, only one order violates it. The
// race on `rounds` has nothing to do with it.
// judge: timestamp spec-violated
// judge: rounds k-witness-harmless
// reason: timestamp requirement violated: timestamp is -1 at the end of T1
// evidence: rounds in both orders, so not because of this race
// options: --require 'timestamp >= 0' --control 10
// levels: O0
#include <pthread.h>
#include <stdio.h>

volatile int timestamp, rounds;

static void *expand(void *unused)
{
    (void)unused;
    timestamp = -1;
    rounds = 1;
    return NULL;
}

static void *interact(void *unused)
{
    (void)unused;
    timestamp = 1;
    rounds = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, expand, NULL);
    pthread_create(&t[1], NULL, interact, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    timestamp = 0;
    printf("%d\n", rounds);
    return 0;
}
