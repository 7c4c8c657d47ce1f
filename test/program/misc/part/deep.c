/* A library with allocations and a lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

char *deep_block(void) { return malloc(100); }

int deep_count(void)
{
    pthread_mutex_lock(&m);
    int r = ++n;
    pthread_mutex_unlock(&m);
    return r;
}
