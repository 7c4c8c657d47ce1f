// A barrier whose counter is incremented without a lock.
// race: arrived pass pass spec-violated: both threads store 1, and both poll for 2 for ever
#include <pthread.h>
#include <stdio.h>

static volatile int arrived;

static void pass(void)
{
    arrived = arrived + 1;
    while (arrived != 2)
        ;
}

static void *work(void *unused)
{
    pass();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("passed");
    return 0;
}
