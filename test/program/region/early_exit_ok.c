// want: none
// case: record
// case: hatch
/* A check that ends the program is not a check. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n = 1;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    if (n > 100)
        exit(3);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = n + 1;
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
