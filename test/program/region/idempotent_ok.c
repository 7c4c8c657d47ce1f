// want: none
// case: record
// case: hatch
/* Check-then-act on a flag that is only ever set: every order gives the same result. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stop, asked;
static void *always(void *p)
{
    pthread_mutex_lock(&m);
#ifdef READS
    asked += stop;
#else
    asked++;
#endif
    stop = 1;
    pthread_mutex_unlock(&m);
    return p;
}
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    int seen = stop;
    pthread_mutex_unlock(&m);
    if (!seen) {
        pthread_mutex_lock(&m);
        stop = 1;
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, always, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
