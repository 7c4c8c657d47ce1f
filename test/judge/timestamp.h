/* timestamp.h - one thread resets a timestamp, another one computes with it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int timestamp = 10;

static void *reset(void *unused)
{
    (void)unused;
    timestamp = 5;
    return NULL;
}

static void *compute(void *unused)
{
    (void)unused;
    int before = timestamp;
    timestamp = before - 7;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    timestamp = 100;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, reset, NULL);
    pthread_create(&t[1], NULL, compute, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts(timestamp >= 0 ? "done" : "negative");
    return 0;
}
