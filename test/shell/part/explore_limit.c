/* Waits for another thread until the second argv[1] of the clock, and then gives up: by a failed
 * assertion, or, with another argument, by reading through a null pointer. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *sets(void *arg)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    struct timespec limit = {atol(argv[1]), 0};
    int *volatile nothing = NULL;
    pthread_create(&t, NULL, sets, NULL);
    pthread_mutex_lock(&m);
    while (!ready && !pthread_cond_timedwait(&c, &m, &limit))
        ;
    if (!ready && argc > 2)
        return *nothing;
    assert(ready);
    pthread_mutex_unlock(&m);
    return pthread_join(t, NULL);
}
