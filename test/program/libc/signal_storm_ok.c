// Signals from a timer, while the threads are in the runtime most of the time: every handler runs,
// none in the middle of the runtime's work, and the program's data stays right.
// want: none
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int hits, counter;
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
    while (atomic_load(&hits) < 500) {
        pthread_mutex_lock(&m);
        shared++;
        pthread_mutex_unlock(&m);
        atomic_fetch_add(&counter, 1);
        char *p = malloc(100);
        memset(p, 1, 100);
        free(p);
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    struct itimerval every = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    struct itimerval none = {0};
    setitimer(ITIMER_REAL, &none, NULL);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return shared != atomic_load(&counter) || sigismember(&mask, SIGALRM);
}
