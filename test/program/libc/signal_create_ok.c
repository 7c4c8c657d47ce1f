// A thread created during a storm of signals does not inherit a signal mask that the runtime set.
// want: none
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

atomic_int hits, blocked;

static void handler(int number) { atomic_fetch_add(&hits, number == SIGALRM); }
static void *work(void *arg)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    atomic_fetch_add(&blocked, sigismember(&mask, SIGALRM));
    return arg;
}
int main(void)
{
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    struct itimerval every = {{0, 50}, {0, 50}}, none = {0};
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 300; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        pthread_join(t, NULL);
    }
    setitimer(ITIMER_REAL, &none, NULL);
    return atomic_load(&blocked) || !atomic_load(&hits);
}
