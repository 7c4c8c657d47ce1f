// sigwait, sigtimedwait and a read of a signalfd are ordered after the sender.
// tsan: receiving a signal creates no order
// want: none
#include "turns.h"
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

int a, b, c, fd, bad;
void before(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    fd = signalfd(-1, &set, 0);
}
void first(void)
{
    a = 1;
    kill(getpid(), SIGUSR1);
    b = 1;
    kill(getpid(), SIGUSR2);
    c = 1;
    sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
}
void second(void)
{
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (sigwait(&set, &number) == 0 && number == SIGUSR1)
        a++;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    siginfo_t info;
    if (sigtimedwait(&set, &info, &(struct timespec){1, 0}) == SIGUSR2)
        b++;
    struct signalfd_siginfo read_info;
    if (read(fd, &read_info, sizeof read_info) == sizeof read_info)
        c++;
}
int after(void) { return a + b + c != 6; }
