/* leaks.h - waits until a thread has ended, without joining it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int last_tid;

static inline void *end(void *arg)
{
    atomic_store(&last_tid, gettid());
    return arg;
}

/* Starts a thread and waits for its end. */
static inline pthread_t run_thread(const pthread_attr_t *attr)
{
    pthread_t t;
    int tid;
    atomic_store(&last_tid, 0);
    pthread_create(&t, attr, end, NULL);
    while (!(tid = atomic_load(&last_tid)) || tgkill(getpid(), tid, 0) == 0)
        sched_yield();
    return t;
}
