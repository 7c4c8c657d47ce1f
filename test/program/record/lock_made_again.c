// A lock that is initialised while it is held: the misuse is reported, and the rest is predicted.
// case: record
// err: a lock is initialised or destroyed by the thread that holds it
// case: predict
// exit: 66
// noerr: inconsistent
// case: record -- other
// case: predict
// exit: 66
// noerr: a lock is used wrongly
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long d, x;
static void *t(void *arg)
{
    x++;
    pthread_mutex_lock(&m);
    d++;
    if (!arg)
        pthread_mutex_init(&m, 0); /* by the thread that holds it */
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t p, q;
    (void)argv;
    pthread_create(&p, 0, t, argc > 1 ? &p : 0);
    x++;
    pthread_join(p, 0);
    if (argc > 1)
        pthread_mutex_init(&m, 0); /* by another thread */
    pthread_create(&q, 0, t, 0);
    pthread_mutex_lock(&m);
    d++;
    pthread_mutex_unlock(&m);
    pthread_join(q, 0);
    return 0;
}
