#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int way[2], back[2];
static volatile sig_atomic_t handled;
static pthread_t reader_thread;
static void on_signal(int n) { handled += n == SIGUSR1 && pthread_equal(pthread_self(), reader_thread); }
static void *reader(void *a)
{
    static char part[70000];
    size_t all = 0;
    ssize_t n;
    while ((n = read(way[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        all += n > 0 ? (size_t)n : 0;
    if (write(back[1], &all, sizeof all) != sizeof all)
        abort();
    return a;
}
int main(void)
{
    char line[100] = "", *big = calloc(1, 400000);
    size_t all = 0;
    unsigned random = 0;
    if (!fgets(line, sizeof line, stdin) || pipe(way) || pipe(back))
        return 1;
    printf("read %s", line);
    struct sigaction act = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&reader_thread, NULL, reader, NULL);
    struct timespec nap = {3, 0}; /* virtual time: takes no real time */
    nanosleep(&nap, NULL);
    pthread_kill(reader_thread, SIGUSR1);
    if (write(way[1], big, 400000) != 400000) /* more than the pipe holds: the reader must run */
        return 2;
    close(way[1]);
    struct pollfd p = {back[0], POLLIN, 0};
    if (poll(&p, 1, 10000) != 1 || read(back[0], &all, sizeof all) != sizeof all)
        return 3;
    pthread_join(reader_thread, NULL);
    getrandom(&random, sizeof random, 0);
    printf("%zu bytes, %d handled, %u, pid %d, %ld\n", all, handled, random, getpid(), time(NULL));
    memcpy(&random, (void *)getauxval(AT_RANDOM), sizeof random);
    printf("the kernel's %u\n", random);
    int fd = open("data", O_RDONLY), status = 0;
    char *m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    printf("mapped %s", m);
    FILE *o = fopen("made", "w");
    fprintf(o, "by the target\n");
    fclose(o);
    FILE *c = popen("echo from a child; exit 3", "r");
    if (fgets(line, sizeof line, c))
        printf("%s", line);
    status = pclose(c);
    printf("child ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
    fprintf(stderr, "to standard error\n");
    return 7;
}
