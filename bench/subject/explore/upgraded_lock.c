/* Reader-writer lock: a reader that wants to write releases its read lock and takes the write
 * lock, but uses the value it read before. It fails if the other thread writes in between. */
// fails: assertion
#include "explore.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *increment(void *p)
{
    pthread_rwlock_rdlock(&lock);
    int c = count;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    count = c + 1;
    pthread_rwlock_unlock(&lock);
    return p;
}

int main(void)
{
    start(increment, 0);
    start(increment, 0);
    join_all();
    assert(count == 2);
    return 0;
}
