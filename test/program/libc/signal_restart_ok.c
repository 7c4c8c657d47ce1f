// After a handler, a blocked read continues with SA_RESTART and fails with EINTR without it.
// want: none
// stdout: interrupted restarted
#include "order.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

int fds[2];
atomic_int hits, stage;

static void handler(int number) { atomic_fetch_add(&hits, number > 0); }
static void *read_twice(void *arg)
{
    char c;
    atomic_store(&stage, 1);
    int first = (int)read(fds[0], &c, 1);
    printf("%s ", first == -1 && errno == EINTR ? "interrupted" : "not interrupted");
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    atomic_store(&stage, 2);
    int second = (int)read(fds[0], &c, 1);
    puts(second == 1 ? "restarted" : "not restarted");
    return arg;
}
int main(void)
{
    struct sigaction a = {.sa_handler = handler};
    sigaction(SIGUSR1, &a, NULL);
    pthread_t t;
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, read_twice, NULL);
    while (atomic_load(&stage) < 1)
        order_yield();
    while (atomic_load(&stage) < 2) { /* until one of them interrupts the read */
        pthread_kill(t, SIGUSR1);
        order_yield();
    }
    int before = atomic_load(&hits);
    pthread_kill(t, SIGUSR1);
    while (atomic_load(&hits) == before)
        order_yield();
    if (write(fds[1], "x", 1) != 1)
        return 1;
    pthread_join(t, NULL);
    return 0;
}
