// want: sync-misuse
// tsan: has no such report
// options: report_sync_misuse=1
// text: threads wait on a condition variable with different mutexes
// A second thread waits on a condition variable with another mutex.
#include "waiting.h"
#include <time.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int done;

static void *user(void *arg)
{
    pthread_mutex_lock(&a);
    about_to_wait();
    while (!done)
        pthread_cond_wait(&changed, &a);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec past = {0};
    pthread_create(&t, NULL, user, NULL);
    until_it_waits();
    pthread_mutex_lock(&b);
    pthread_cond_timedwait(&changed, &b, &past);
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&a);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}
