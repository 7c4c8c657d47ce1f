/* Loader: threads take files to load from a list until it is empty; the test for empty is outside
 * of the lock. */
#include "subject.h"

enum { FILES = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = FILES, loaded[FILES];

static void *load(void *p)
{
    for (;;) {
        TWIN_LOCK(&lock);
        if (left == 0) {
            TWIN_UNLOCK(&lock);
            return p;
        }
#ifndef TWIN
        LOCK(&lock);
#endif
        MUST(left > 0);
        loaded[--left]++;
        UNLOCK(&lock);
    }
}

int main(void)
{
    void *(*const body[])(void *) = {load, load, load};
    run_threads(body, NULL, 3);
    for (int i = 0; i < FILES; i++)
        MUST(loaded[i] == 1);
    return 0;
}
