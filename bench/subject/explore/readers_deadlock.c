/* Reader-writer lock: two threads hold a read lock and then wait for a write lock of the same
 * object, which neither can get. It fails if both have read before either writes. */
// fails: deadlock
#include "explore.h"

static pthread_mutex_t guard = MUTEX;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;

static void *upgrade(void *p)
{
    LOCK(&guard);
    readers++;
    UNLOCK(&guard);
    LOCK(&guard);
    while (readers > 1)
        pthread_cond_wait(&changed, &guard);
    readers--;
    pthread_cond_broadcast(&changed);
    UNLOCK(&guard);
    return p;
}

int main(void)
{
    start(upgrade, 0);
    start(upgrade, 0);
    join_all();
    return 0;
}
