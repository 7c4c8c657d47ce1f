// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* A version number that not every writer changes: reading it again does not make the store safe. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int version, value;
static void *updates(void *p)
{
    pthread_mutex_lock(&m);
    int old = version, seen = value;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    if (version == old) {
        value = seen + 1;
        version++;
    }
    pthread_mutex_unlock(&m);
    return p;
}
static void *forgets(void *p)
{
    pthread_mutex_lock(&m);
    value = 10;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, updates, NULL);
    pthread_create(&u, NULL, forgets, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
