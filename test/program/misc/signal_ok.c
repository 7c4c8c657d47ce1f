// A signal handler and the thread it interrupts are one thread.
// want: none
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

volatile sig_atomic_t hits;

static void handler(int sig) { hits += sig > 0; }

static void *worker(void *arg)
{
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    raise(SIGUSR1);
    return hits != 101;
}
