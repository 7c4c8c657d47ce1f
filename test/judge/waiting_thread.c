// A thread waits for a mutex while the race happens. Until the race, the runs follow the recording
// nevertheless: the first thread that takes a role reads, and the other one writes.
// judge: x output-differs
// schedule: rr
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int roles, x;

static void *wait_for_mutex(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *take_role(void *unused)
{
    (void)unused;
    if (__atomic_fetch_add(&roles, 1, __ATOMIC_RELAXED)) {
        x = 1;
    } else {
        sched_yield();
        printf("%d\n", x);
    }
    return NULL;
}

int main(void)
{
    pthread_t waits, t[2];
    pthread_mutex_lock(&m);
    pthread_create(&waits, NULL, wait_for_mutex, NULL);
    sched_yield();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, take_role, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_unlock(&m);
    pthread_join(waits, NULL);
    return 0;
}
