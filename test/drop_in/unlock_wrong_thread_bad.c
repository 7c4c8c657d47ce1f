// want: mutex-bad-unlock
// A thread unlocks a mutex that another thread holds.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *unlock(void *arg)
{
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, unlock, NULL);
    pthread_join(t, NULL);
    return 0;
}
