// Twin of repeated_update: the counter is only tested, and every number passes the test.
// judge: hits k-witness-harmless
// schedule: random:1
// levels: O0
#include <pthread.h>
#include <stdio.h>

volatile int hits;

static void *work(void *unused)
{
    (void)unused;
    hits = hits + 1;
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    puts(hits > 0 ? "some" : "none");
    return 0;
}
