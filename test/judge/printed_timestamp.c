// --require is tested at output as well: the timestamp is negative only between two lines of one
// thread that does not synchronise.
// judge: start spec-violated
// reason: start requirement violated: timestamp is
// options: --require 'timestamp >= 0'
#include <pthread.h>
#include <stdio.h>

volatile int start = 5;
volatile int timestamp = 1;

static void *reset(void *unused)
{
    (void)unused;
    start = 9;
    return NULL;
}

static void *print(void *unused)
{
    (void)unused;
    timestamp = 7 - start;
    puts("step");
    timestamp = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, print, NULL);
    pthread_create(&t[1], NULL, reset, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
