// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* Check-then-act: the second section uses what the first one has seen. */
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
        stock = seen - 1;
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
