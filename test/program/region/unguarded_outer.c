// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* The buffer may become shorter between the two sections: the program fails. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static int length = 5, copied;
static int get(void)
{
    pthread_mutex_lock(&m);
    int n = length;
    pthread_mutex_unlock(&m);
    return n;
}
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
    int seen = get();
    if (get() < seen)
        abort();
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
