// want: none
// The same without the option: not reported.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *arg)
{
    pthread_mutex_lock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, keep, NULL);
    pthread_join(t, NULL);
    return 0;
}
