/* Driver that is stopped: a request tests whether the driver is stopping before it registers. It
 * fails if the driver stops between the test and the registration. */
// fails: assertion
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static int pending = 1;
static bool stopping, stopped;

static bool leave(void)
{
    LOCK(&lock);
    bool last = --pending == 0;
    UNLOCK(&lock);
    return last;
}

static void *request(void *p)
{
    LOCK(&lock);
    bool refused = stopping;
    UNLOCK(&lock);
    if (refused)
        return p;
    LOCK(&lock);
    pending++;
    UNLOCK(&lock);
    LOCK(&lock);
    assert(!stopped);
    UNLOCK(&lock);
    leave();
    return p;
}

static void *stop(void *p)
{
    LOCK(&lock);
    stopping = true;
    UNLOCK(&lock);
    if (leave()) {
        LOCK(&lock);
        stopped = true;
        UNLOCK(&lock);
    }
    return p;
}

int main(void)
{
    start(request, 0);
    start(stop, 0);
    join_all();
    return 0;
}
