// Every join function: after success, the join is ordered after everything the thread did.
// want: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

const struct timespec far = {4000000000, 0};
int x;

static void *worker(void *arg)
{
    x++;
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result = NULL;
    pthread_create(&t, NULL, worker, &x);
    while (pthread_tryjoin_np(t, &result) == EBUSY)
        ;
    assert(result == &x);
    x++;
    pthread_create(&t, NULL, worker, NULL);
    assert(pthread_timedjoin_np(t, &result, &far) == 0);
    x++;
    pthread_create(&t, NULL, worker, NULL);
    assert(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &far) == 0);
    x++;
    assert(x == 6);
    return 0;
}
