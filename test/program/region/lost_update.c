// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* A value is read in one section and stored, changed, in the next one: an update is lost. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    int seen = n;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = seen + 1;
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
