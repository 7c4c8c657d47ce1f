// Signals from a timer and from another thread, sent by raw system calls, while the threads are in
// the runtime most of the time: every handler runs, none in the middle of the runtime's work, and
// the program's data stays correct.
// want: none
#include "order.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 3, HITS = 100, MANY = 2000 };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int hits, counter, tid[THREADS];
int shared;
static _Thread_local long mine;

static void handler(int number, siginfo_t *info, void *at)
{
    char text[32];
    memset(text, number, sizeof text);
    mine += text[31] == number && info->si_signo == number && at;
    atomic_fetch_add(&hits, 1);
}
static void *work(void *arg)
{
    atomic_store((atomic_int *)arg, (int)syscall(SYS_gettid));
    for (int i = 0; atomic_load(&hits) < HITS; i++) {
        pthread_mutex_lock(&m);
        shared++;
        pthread_mutex_unlock(&m);
        atomic_fetch_add(&counter, 1);
        char *p = malloc(100);
        memset(p, 1, 100);
        free(p);
        if (i > MANY) /* on a busy machine: lets the sender run, keeps the log short */
            order_yield();
    }
    return arg;
}
static ORDER_UNSEEN void storm(void)
{
    for (int i = 0; *(volatile int *)&hits < HITS; i++) {
        if (*(volatile int *)&tid[i % THREADS])
            syscall(SYS_tgkill, getpid(), *(volatile int *)&tid[i % THREADS], SIGALRM);
        if (i % 300 == 299) /* not each time: on a busy machine the others would run for long */
            order_yield();
    }
}
int main(void)
{
    pthread_t t[THREADS];
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &tid[i]);
    struct itimerval every = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &every, NULL);
    storm();
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    struct itimerval none = {0};
    setitimer(ITIMER_REAL, &none, NULL);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return shared != atomic_load(&counter) || sigismember(&mask, SIGALRM);
}
