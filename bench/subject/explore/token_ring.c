/* Token ring: each thread adds the value of its predecessor to its own, under a lock, but
 * nothing orders the threads. It fails unless they run in the order of the ring. */
// fails: assertion
#include "explore.h"

#define SIZE 4
static pthread_mutex_t lock = MUTEX;
static int token[SIZE] = {1};
static int passed;

static void *station(void *p)
{
    long i = (long)p;
    LOCK(&lock);
    if (i)
        token[i] = token[i - 1];
    passed++;
    UNLOCK(&lock);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        start(station, i);
    join_all();
    assert(passed == SIZE && token[SIZE - 1] == 1);
    return 0;
}
