/* Lost wake-up: the flag is set and signalled without the lock of the waiter. It fails if both
 * happen after the waiter has tested the flag and before it waits. */
// fails: deadlock
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_bool flag;

static void *waiter(void *p)
{
    LOCK(&lock);
    while (!atomic_load(&flag))
        pthread_cond_wait(&ready, &lock);
    UNLOCK(&lock);
    return p;
}

static void *setter(void *p)
{
    atomic_store(&flag, true);
    pthread_cond_signal(&ready);
    return p;
}

int main(void)
{
    start(waiter, 0);
    start(setter, 0);
    join_all();
    return 0;
}
