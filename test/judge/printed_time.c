// The program prints something on standard error that differs in every run, such as a time. Only
// standard output is compared, and the evidence says so.
// judge: counter output-differs
// judge: mark k-witness-harmless
// evidence: mark descriptor 2: not compared
// options: --recordings 0
// levels: O2
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile int counter, mark;

static void *work(void *unused)
{
    counter = counter + 1;
    mark = 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    struct timespec now;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(stderr, "%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
    printf("%d\n", counter);
    return 0;
}
