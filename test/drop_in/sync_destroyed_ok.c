// want: none
// options: report_sync_misuse=1
// tsan: does not know the option
// Condition variables, barriers and semaphores are destroyed after their last use. A wait that
// fails does not count.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
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

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    while (done != 2)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

/* One thread is woken, but has not returned; another wait fails. */
static void destroy_after_failed_wait(void)
{
    const struct timespec invalid = {.tv_nsec = -1};
    pthread_t t;
    done = 0;
    pthread_cond_init(&changed, NULL);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    while (!done) {
        pthread_mutex_unlock(&m);
        sched_yield();
        pthread_mutex_lock(&m);
    }
    done = 2;
    pthread_cond_signal(&changed);
    if (pthread_cond_timedwait(&changed, &m, &invalid) == EINVAL)
        pthread_cond_destroy(&changed);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
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
    destroy_after_failed_wait();
    return 0;
}
