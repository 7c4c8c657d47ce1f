/* Critical: two threads exclude each other from a critical section with a plain variable. */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, inside;

static void *enter(void *p)
{
    int me = *(int *)p;
    TWIN_LOCK(&lock);
    if (turn != me)
        turn = me;
    inside++;
    MUST(inside == 1);
    inside--;
    turn = 1 - me;
    TWIN_UNLOCK(&lock);
    return NULL;
}

int main(void)
{
    int me[] = {0, 1};
    void *(*const body[])(void *) = {enter, enter};
    void *const arg[] = {&me[0], &me[1]};
    run_threads(body, arg, 2);
    return 0;
}
