// want: none
// Mutexes of all types, locked and unlocked in pairs, also by a condition wait that ends at once.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *use(void *arg)
{
    struct timespec past = {0};
    pthread_mutex_lock(&normal);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checked);
    pthread_cond_timedwait(&cond, &checked, &past);
    pthread_mutex_unlock(&checked);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&normal);
    if (pthread_mutex_trylock(&normal) == 0)
        pthread_mutex_unlock(&normal);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
