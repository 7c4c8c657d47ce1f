// want: none
// A mutex is destroyed and initialised again; a time limit is not valid.
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m;

static void *wait_badly(void *arg)
{
    struct timespec bad = {.tv_nsec = -1};
    return pthread_mutex_timedlock(&m, &bad) == EINVAL ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    void *result;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&m, NULL);
        pthread_mutex_lock(&m);
        pthread_create(&t, NULL, wait_badly, &m);
        pthread_join(t, &result);
        pthread_mutex_unlock(&m);
        pthread_mutex_destroy(&m);
    }
    return !result;
}
