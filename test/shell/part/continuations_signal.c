// A continuation sends a signal to its parent, the process that waits for it, and then works for a
// while.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int done;

static void on_signal(int n) { (void)n; }

static void *other(void *p)
{
    done = 1;
    return p;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, on_signal);
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    kill(getppid(), SIGUSR1);
    for (int i = 0; i < 2000000; i++)
        done = i;
    return 0;
}
