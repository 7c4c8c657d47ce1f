/* library_results.h - library functions that store through a pointer. The program that includes it
 * defines OBJECT (a declaration), P (a pointer to it) and SMALL (the object of thrd_join). */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static pthread_t t;
static thrd_t u;
static int fds[2], sockets[2];
static void *f(void *arg) { return arg; }
static int g(void *arg) { return arg != 0; }
static void prepare(void)
{
    if (pipe(fds) || write(fds[1], "0123456789", 10) != 10 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || write(sockets[0], "0123456789", 10) != 10)
        abort();
    pthread_create(&t, 0, f, 0);
    thrd_create(&u, g, 0);
}
#define CALLS(C)                                                                                   \
    C(join, pthread_join(t, (void **)P))                                                           \
    C(timedjoin, pthread_timedjoin_np(t, (void **)P, &(struct timespec){4000000000, 0}))           \
    C(read, read(fds[0], P, sizeof(long)))                                                         \
    C(recv, recv(sockets[1], P, sizeof(long), 0))                                                  \
    C(scanf, sscanf("12", "%ld", (long *)P))                                                       \
    C(fgets, fgets((char *)P, sizeof(long), stdin) != 0)                                           \
    C(getline, getline(&line, (size_t *)P, stdin))                                                 \
    C(time, time((time_t *)P))                                                                     \
    C(strtol, strtol(digits, (char **)P, 10))                                                      \
    C(pipe, pipe((int *)P))
static char *line;
char digits[] = "12";
int main(int argc, char **argv)
{
    (void)argc;
    prepare();
#define TRY(name, call)                                                                            \
    if (!strcmp(argv[1], #name)) {                                                                 \
        OBJECT;                                                                                    \
        return (long)(call) < 0;                                                                   \
    }
    CALLS(TRY)
    if (!strcmp(argv[1], "thrd_join")) {
        SMALL;
        return thrd_join(u, (int *)q) != thrd_success;
    }
    return 99;
}
