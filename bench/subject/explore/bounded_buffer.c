/* Bounded buffer: consumers wait with `if` where `while` is needed. It fails if a consumer that
 * was woken gets the lock after another consumer has taken the item. */
// fails: assertion
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *p)
{
    LOCK(&lock);
    if (items == 0)
        pthread_cond_wait(&filled, &lock);
    assert(items > 0);
    items--;
    UNLOCK(&lock);
    return p;
}

static void *produce(void *p)
{
    for (int i = 0; i < 2; i++) {
        LOCK(&lock);
        items++;
        pthread_cond_broadcast(&filled);
        UNLOCK(&lock);
    }
    return p;
}

int main(void)
{
    start(consume, 0);
    start(consume, 0);
    start(produce, 0);
    join_all();
    return 0;
}
