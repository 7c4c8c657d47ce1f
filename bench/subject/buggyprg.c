/* BuggyPrg: threads derive numbers from a shared one; the digits change under a lock, the number
 * of changes and the last digit do not. */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char digits[9] = "12345678";
static int changes, last;

static void reverse(int from, int to)
{
    LOCK(&lock);
    for (; from < to; from++, to--) {
        char c = digits[from];
        digits[from] = digits[to];
        digits[to] = c;
    }
#ifdef TWIN
    changes++;
    last = digits[7];
#endif
    UNLOCK(&lock);
#ifndef TWIN
    changes++;
    last = digits[7];
#endif
}

static void *worker(void *p)
{
    int at = *(int *)p;
    reverse(at, at + 3);
    reverse(at, 7);
    return NULL;
}

int main(void)
{
    int at[] = {0, 2, 4};
    void *(*const body[])(void *) = {worker, worker, worker};
    void *const arg[] = {&at[0], &at[1], &at[2]};
    run_threads(body, arg, 3);
    MUST(changes == 6);
    return last == 0;
}
