/* Two locks in opposite orders, but the second thread takes them only if a flag says that the
 * first one is at work. It fails if it sees the flag and both have taken their first lock. */
// fails: deadlock
#include "explore.h"

static pthread_mutex_t a = MUTEX, b = MUTEX, state = MUTEX;
static bool busy;

static void *worker(void *p)
{
    LOCK(&state);
    busy = true;
    UNLOCK(&state);
    LOCK(&a);
    LOCK(&b);
    UNLOCK(&b);
    UNLOCK(&a);
    LOCK(&state);
    busy = false;
    UNLOCK(&state);
    return p;
}

static void *helper(void *p)
{
    LOCK(&state);
    bool help = busy;
    UNLOCK(&state);
    if (help) {
        LOCK(&b);
        LOCK(&a);
        UNLOCK(&a);
        UNLOCK(&b);
    }
    return p;
}

int main(void)
{
    start(helper, 0);
    start(worker, 0);
    join_all();
    return 0;
}
