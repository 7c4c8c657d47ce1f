// A handler that runs while its thread waits in a join is not ordered after the joined thread,
// although all other threads are.
// tsan: it delays the handler to a later call
// want: race box at WORKER HANDLER
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

struct {
    short x, a, b, c;
} box __attribute__((aligned(8)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int written, handled;

static void handler(int number)
{
    box.x = (short)number; /* HANDLER */
    atomic_store_explicit(&handled, 1, memory_order_relaxed);
}

static void work(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&mutex);
        box.a++;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        box.c = (short)(box.a + box.b);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        box.b = box.c;
        pthread_mutex_unlock(&mutex);
    }
}

static void *worker(void *arg)
{
    box.x = 1; /* WORKER */
    atomic_store_explicit(&written, 1, memory_order_relaxed);
    do {
        work();
        sched_yield();
    } while (!atomic_load_explicit(&handled, memory_order_relaxed));
    return arg;
}
/* Accesses of one granule at the same instant may lose a record, so this begins after WORKER. */
static void *helper(void *arg)
{
    while (!atomic_load_explicit(&written, memory_order_relaxed))
        sched_yield();
    work();
    return arg;
}

int main(void)
{
    pthread_t s, t;
    sigset_t alarm;
    struct itimerval soon = {.it_value = {.tv_usec = 50000}};
    signal(SIGALRM, handler);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_create(&s, NULL, worker, NULL);
    pthread_create(&t, NULL, helper, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
