// Receiving another signal than the one sent creates no order.
// want: race shared at A B
#include "turns.h"
#include <signal.h>
#include <unistd.h>

int shared;
void before(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR2);
}
void first(void)
{
    shared = 1; /* A */
    kill(getpid(), SIGUSR1);
}
void second(void)
{
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigwait(&set, &number);
    shared = 2; /* B */
}
