// want: none
// case: record
// case: hatch
/* Twin of lost_update.c: the second section compares a version number that every writer changes. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, version;
static void *work(void *p)
{
    for (bool done = false; !done;) {
        pthread_mutex_lock(&m);
        int seen = n, then = version;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        done = version == then;
        if (done) {
            n = seen + 1;
            version++;
        }
        pthread_mutex_unlock(&m);
    }
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
