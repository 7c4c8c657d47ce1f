// want: none
// options: report_sync_misuse=1
// tsan: does not know the option
// Condition variables, barriers and semaphores are destroyed after their last use.
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed;
pthread_barrier_t barrier;
sem_t full;
int done;

static void *user(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&barrier);
    sem_post(&full);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        done = 0;
        pthread_cond_init(&changed, NULL);
        pthread_barrier_init(&barrier, NULL, 2);
        sem_init(&full, 0, 0);
        pthread_create(&t, NULL, user, NULL);
        pthread_mutex_lock(&m);
        while (!done)
            pthread_cond_wait(&changed, &m);
        pthread_mutex_unlock(&m);
        pthread_cond_destroy(&changed);
        if (pthread_barrier_wait(&barrier) == 0)
            done = 2;
        pthread_barrier_destroy(&barrier);
        sem_wait(&full);
        pthread_join(t, NULL);
        sem_destroy(&full);
    }
    return 0;
}
