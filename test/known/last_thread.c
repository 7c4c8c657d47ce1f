/* The assertion fails if the thread runs before main stores, which is possible only because
 * main does not join it. */
#include <assert.h>
#include <pthread.h>
static int ready;
static void *w(void *arg)
{
    assert(ready);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    return 0;
}
