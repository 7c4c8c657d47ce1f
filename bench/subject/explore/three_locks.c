/* Three locks in a cycle, each pair taken by a thread of its own. It fails if all three have
 * taken their first lock. */
// fails: deadlock
#include "explore.h"

static pthread_mutex_t a = MUTEX, b = MUTEX, c = MUTEX;
static int done;

static void *first(void *p)
{
    LOCK(&a);
    LOCK(&b);
    UNLOCK(&b);
    UNLOCK(&a);
    return p;
}

static void *second(void *p)
{
    LOCK(&b);
    LOCK(&c);
    UNLOCK(&c);
    UNLOCK(&b);
    return p;
}

static void *third(void *p)
{
    LOCK(&c);
    LOCK(&a);
    done++;
    UNLOCK(&a);
    UNLOCK(&c);
    return p;
}

int main(void)
{
    start(first, 0);
    start(second, 0);
    start(third, 0);
    join_all();
    return 0;
}
