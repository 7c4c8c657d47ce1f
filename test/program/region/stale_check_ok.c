// want: none
// case: record
// case: hatch
/* Twin of stale_check.c: the check is made again in the section of the act. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 5;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    int seen = stock;
    pthread_mutex_unlock(&m);
    if (seen > 0) {
        pthread_mutex_lock(&m);
        if (stock > 0)
            stock = stock - 1;
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
