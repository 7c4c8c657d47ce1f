/* A held mutex is initialised again. Predictions are still made for the rest of the recording. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long d;
static void *t(void *arg)
{
    pthread_mutex_lock(&m);
    d++;
    pthread_mutex_init(&m, 0);
    return arg;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    pthread_join(p, 0);
    pthread_mutex_lock(&m);
    d++;
    pthread_mutex_unlock(&m);
    return 0;
}
