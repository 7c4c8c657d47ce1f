// want: none
// case: record
// case: hatch
/* Twin of lost_update.c: one section. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    int seen = n;
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
