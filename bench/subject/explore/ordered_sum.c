/* Three threads change a number under a lock, and the last test expects one particular order. It
 * fails if the thread that tests comes after both others. */
// fails: assertion
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static int data;

static void *add(void *p)
{
    LOCK(&lock);
    data += (int)(long)p;
    UNLOCK(&lock);
    return NULL;
}

static void *test(void *p)
{
    LOCK(&lock);
    assert(data < 3);
    UNLOCK(&lock);
    return p;
}

int main(void)
{
    start(test, 0);
    start(add, 1);
    start(add, 2);
    join_all();
    return 0;
}
