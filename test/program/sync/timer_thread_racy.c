// The thread that libc creates for a timer is not ordered with the other thread.
// want: race x at WORKER MAIN
#include "order.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

sem_t ticked;
int x;

static void tick(union sigval value)
{
    (void)value;
    sem_post(&ticked);
}

static void *worker(void *arg)
{
    x = 1; /* WORKER */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec soon = {.it_value.tv_nsec = 1};
    sem_init(&ticked, 0, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&ticked);
    order_point(1);
    x = 2; /* MAIN */
    pthread_join(t, NULL);
    timer_delete(timer);
    return 0;
}
