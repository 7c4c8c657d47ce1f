// A daemon: the parent ends at once; the child continues and is watched.
// want: race shared at A B
#define _GNU_SOURCE
#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

int shared, done[2];
static void *work(void *arg)
{
    shared = 1; /* A */
    order_point(0);
    return arg;
}
/* Waits until the process has ended: it does not exist, or is a zombie. */
static void wait_for_end(pid_t pid)
{
    char path[64], state = 0;
    do {
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *f = fopen(path, "r");
        if (!f || fscanf(f, "%*d %*[^)]) %c", &state) != 1)
            state = 'Z';
        if (f)
            fclose(f);
        order_yield();
    } while (state != 'Z' && state != 'X');
}
int main(void)
{
    pthread_t t;
    pid_t daemons;
    if (pipe(done))
        return 1;
    pid_t child = fork();
    if (child) { /* the test ends after the daemon */
        if (read(done[0], &daemons, sizeof daemons) != sizeof daemons)
            return 1;
        wait_for_end(child);
        wait_for_end(daemons);
        return 0;
    }
    if (daemon(1, 1))
        return 1;
    daemons = getpid();
    if (write(done[1], &daemons, sizeof daemons) != sizeof daemons)
        return 1;
    pthread_create(&t, NULL, work, NULL);
    order_point(1);
    shared = 2; /* B */
    pthread_join(t, NULL);
    return 0;
}
