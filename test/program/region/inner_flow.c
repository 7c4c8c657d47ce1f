// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* Two inner sections of a lock that the other thread also holds. The value read in the first one
 * flows into the store in the second one, so the outer section is meant to keep them together. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *adds(void *p)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        int seen = n;
        pthread_mutex_unlock(&inner);
        pthread_mutex_lock(&inner);
        n = seen + 1;
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return p;
}
static void *resets(void *p)
{
    pthread_mutex_lock(&inner);
    n = 10;
    pthread_mutex_unlock(&inner);
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, adds, NULL);
    pthread_create(&u, NULL, resets, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
