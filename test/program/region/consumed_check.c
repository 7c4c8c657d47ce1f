// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* The thread writes another variable in the section of the check: the check still decides about the
 * store in the later section. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left = 5, asked;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    int seen = left;
    if (seen > 0)
        asked = 1;
    pthread_mutex_unlock(&m);
    if (seen > 0) {
        pthread_mutex_lock(&m);
        left = seen - 1;
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
