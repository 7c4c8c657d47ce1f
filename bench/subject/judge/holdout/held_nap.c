// A thread sleeps instead of waiting, and hopes that the result is there.
// race: result compute report output-differs: the result may be missing; printed
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int result;

static void compute(void) { result = 42; }

static void report(void) { printf("%d\n", result); }

static void *work(void *unused)
{
    compute();
    return unused;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, work, NULL);
    usleep(1000);
    report();
    pthread_join(a, NULL);
    return 0;
}
