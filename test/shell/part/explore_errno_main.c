/* Calls a function of explore_errno.c under a lock. */
#include <pthread.h>

int current_errno(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    x += !current_errno();
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    return 0;
}
