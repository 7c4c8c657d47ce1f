// want: none
// case: record
// case: hatch
/* Twin of unguarded_outer.c: one section. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static int length = 5, copied;
static void *shorten(void *p)
{
    pthread_mutex_lock(&m);
    length = 0;
    pthread_mutex_unlock(&m);
    return p;
}
static void *work(void *p)
{
    pthread_mutex_lock(&own);
    pthread_mutex_lock(&m);
    int seen = length;
    if (length < seen)
        abort();
    pthread_mutex_unlock(&m);
    copied += seen;
    pthread_mutex_unlock(&own);
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, shorten, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
