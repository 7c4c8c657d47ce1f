/* A thread that never ends, so that every run has to be stopped. */
#include <pthread.h>

static volatile unsigned long n;

static void *count(void *unused)
{
    for (;;)
        n++;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    pthread_join(t, NULL);
}
