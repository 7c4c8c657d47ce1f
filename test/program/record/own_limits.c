// Threads with small stacks, and limits that the program sets for itself (file size, address space,
// data, descriptors), do not disturb a recording or a free run.
// case: record -- {0 100,1 150000000,2 30000000,3 3}
// exit: 5
// stdout: 1 1 1
// case: record {--watch,--trace,--watch --log logs} -- {0 100,1 150000000,2 30000000,3 3} error
// exit: 66
// stdout: 1 1 1
// case: dump
// case: run -- {0 100,1 150000000,2 30000000,3 3}
// exit: 66
// stdout: 1 1 1
// noerr: incomplete
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
long x;
static void *work(void *arg)
{
    for (int i = 0; i < 1000; i++)
        x++;
    return arg;
}
int main(int argc, char **argv)
{
    static const int limits[] = {RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE};
    rlim_t most = strtoul(argv[2], 0, 0);
    struct rlimit r = {most, most}, now;
    pthread_attr_t small;
    pthread_t t[2];
    int ok[2];
    if (setrlimit(limits[atoi(argv[1])], &r) || getrlimit(limits[atoi(argv[1])], &now))
        return 90;
    errno = 0;
    if (getrlimit(limits[atoi(argv[1])], (struct rlimit *)8) != -1 || errno != EFAULT)
        return 92;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    for (int i = 0; i < 2; i++)
        ok[i] = pthread_create(&t[i], &small, work, 0) == 0;
    for (int i = 0; i < 2; i++)
        if (ok[i])
            pthread_join(t[i], 0);
    volatile char *p = malloc(10);
    if (argc > 3)
        p[12] = 1; /* a report of several kilobytes is written */
    char line[100];
    int n = snprintf(line, sizeof line, "%d %d %d\n", ok[0], ok[1], now.rlim_cur == most);
    return write(1, line, n) == n ? 5 : 91;
}
