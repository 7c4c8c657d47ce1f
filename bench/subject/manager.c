/* Manager: workers return memory to a manager; the amount in use is counted without a lock, and
 * the manager's decisions depend on it. */
#include "subject.h"

enum { WORKERS = 3, EACH = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = WORKERS * EACH, returned, asked;

static void *worker(void *p)
{
    for (int i = 0; i < EACH; i++) {
        LOCK(&lock);
        returned++;
#ifdef TWIN
        out--;
#endif
        UNLOCK(&lock);
#ifndef TWIN
        out--;
#endif
    }
    return p;
}

static void *manager(void *p)
{
    for (int i = 0; i < 3; i++) {
        TWIN_LOCK(&lock);
        if (out > 0)
            asked++;
        TWIN_UNLOCK(&lock);
    }
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {worker, worker, worker, manager};
    run_threads(body, NULL, WORKERS + 1);
    MUST(returned == WORKERS * EACH && out == 0);
    return asked > 3;
}
