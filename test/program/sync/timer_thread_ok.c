// A thread that libc creates for a timer passes order on from one thread to another.
// want: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

sem_t first, second;
int x;

static void tick(union sigval value)
{
    (void)value;
    sem_wait(&first);
    sem_post(&second);
}

static void *worker(void *arg)
{
    x = 1;
    sem_post(&first);
    return arg;
}

int main(void)
{
    pthread_t t;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec soon = {.it_value.tv_nsec = 1};
    sem_init(&first, 0, 0);
    sem_init(&second, 0, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&second);
    assert(x == 1);
    pthread_join(t, NULL);
    timer_delete(timer);
    return 0;
}
