// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* The same branch to exit as in early_exit_ok, and a real check: the value that was read before is
 * stored in a later section. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n = 1;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    int seen = n;
    if (seen < 0)
        exit(3);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = seen * 2;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
