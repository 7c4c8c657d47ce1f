/* Condition variable: producers and consumers wait for the same condition variable, and only one
 * is signalled. It fails if the signal wakes a thread of the same kind, which waits again. */
// fails: deadlock
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full;

static void *produce(void *p)
{
    LOCK(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock);
    full = true;
    pthread_cond_signal(&changed);
    UNLOCK(&lock);
    return p;
}

static void *consume(void *p)
{
    LOCK(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    full = false;
    pthread_cond_signal(&changed);
    UNLOCK(&lock);
    return p;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        start(consume, 0);
        start(produce, 0);
    }
    join_all();
    return 0;
}
