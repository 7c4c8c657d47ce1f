/* Condition variable: the waiter does not test whether it has to wait. It fails if the signal
 * comes before the wait. */
// fails: deadlock
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int results;

static void *worker(void *p)
{
    LOCK(&lock);
    results++;
    pthread_cond_signal(&done);
    UNLOCK(&lock);
    return p;
}

int main(void)
{
    LOCK(&lock);
    int before = results;
    UNLOCK(&lock);
    start(worker, 0);
    LOCK(&lock);
    if (before == 0)
        pthread_cond_wait(&done, &lock);
    UNLOCK(&lock);
    join_all();
    return results != 1;
}
