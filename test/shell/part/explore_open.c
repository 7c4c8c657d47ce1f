/* Two threads, one of which does something that pf explore does not explore (REASON). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
atomic_int flag, waiting;
static int x;

static void nothing(void) {}
static void timed_wait(void)
{
    struct timespec t = {0, 1000};
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &t);
    pthread_mutex_unlock(&m);
}
static void time_read(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
}
static void sleeps(void) { usleep(10); }
static void child(void)
{
    pid_t p = fork();
    if (p == 0)
        _exit(0);
    waitpid(p, NULL, 0);
}
static void file_read(void)
{
    char b[8];
    int fd = open("/proc/self/stat", O_RDONLY);
    if (read(fd, b, sizeof b) < 0)
        abort();
    close(fd);
}
static void random_number(void) { srand(rand() ? 1u : 2u); }
static void counts_while_waiting(void)
{
    int n = 0;
    while (!atomic_load(&flag))
        n++;
    printf("%d\n", n > 1000);
}
/* before the threads exist, with another answer in every run of the program */
static void machine_facts(void)
{
    if (sysconf(_SC_PAGESIZE) < 1 || !strerror(1))
        abort();
}
static void yields(void)
{
    while (!atomic_load(&flag)) {
        atomic_fetch_or(&waiting, 1);
        sched_yield();
    }
}
static void asked_before(void)
{
    unsigned char b[8];
    int fd = open("/dev/urandom", O_RDONLY);
    if (read(fd, b, sizeof b) != sizeof b)
        abort();
    x = b[0] % 2;
    close(fd);
}
static void writes(void)
{
    if (write(1, "written\n", 8) < 0)
        abort();
}
static void relaxed(void) { atomic_store_explicit(&flag, 1, memory_order_relaxed); }

static void *first(void *a)
{
    REASON();
    return a;
}
static void *second(void *a)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    atomic_store(&flag, 1);
    return a;
}
int main(void)
{
    void (*all[])(void) = {
        nothing, timed_wait,           time_read, sleeps, child, file_read, random_number,
        relaxed, counts_while_waiting, writes,    yields};
    pthread_t t[2];
    (void)all;
#ifdef BEFORE
    BEFORE();
#endif
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
#ifdef LEAVE
    return 0;
#endif
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
