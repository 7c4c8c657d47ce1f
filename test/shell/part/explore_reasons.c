/* Two threads, one of which does something (REASON) that rules out that pf explore has seen
 * everything. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

int shared; /* explore_foreign.c uses it, too */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int flag, word;
static int ends[2];
static pthread_t threads[2];
static void *volatile blocks[2];

void foreign(void);

static void nothing(void) {}
static void foreign_code(void) { foreign(); }
static void child(void)
{
    pid_t p = fork();
    if (p == 0)
        _exit(0);
    waitpid(p, NULL, 0);
}
static void on_alarm(int s) { atomic_store(&flag, s); }
static void outside_signal(void)
{
    struct itimerval soon = {{0, 0}, {0, 1000}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (atomic_load(&flag) != SIGALRM)
        ;
}
static void futex_limit(void)
{
    struct timespec soon = {0, 1000000};
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0);
}
static void many_events(void)
{
    for (int i = 0; i < 210000; i++)
        atomic_fetch_add(&word, 1);
}
static void many_waits(void) /* of one operation, which could read any of many writes */
{
    for (int i = 0; i < 300; i++)
        atomic_store(&word, i);
}
static void endless(void)
{
    for (unsigned n = 1; n; n += 2)
        __asm__ volatile("" : "+r"(n));
}
static void clock_read(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    atomic_store(&flag, t.tv_nsec % 2);
}
static void counter_read(void) { atomic_store(&flag, __rdtsc() / 64 % 2); }
static void address(void) { blocks[0] = malloc(64); }
static void cancelled(void)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}
static void shared_pipe(void)
{
    char b = 1;
    if (write(ends[1], &b, 1) != 1)
        abort();
}
static void mapped_file(void)
{
    int fd = open("mapped", O_RDWR | O_CREAT, 0600);
    if (ftruncate(fd, 4096))
        abort();
    int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    p[0] = 1;
    munmap(p, 4096);
    close(fd);
}

static void *first(void *a)
{
    REASON();
    return a;
}
static void *second(void *a)
{
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    atomic_fetch_add(&word, 1);
#ifdef ADDRESS
    blocks[1] = malloc(64);
#endif
#ifdef CANCEL
    pthread_cancel(threads[0]);
#endif
    return a;
}
int main(void)
{
    void (*all[])(void) = {nothing,     foreign_code, child,      outside_signal, futex_limit,
                           many_events, many_waits,   endless,    clock_read,     counter_read,
                           address,     cancelled,    mapped_file, shared_pipe};
    (void)all;
#ifdef PIPE
    if (pipe(ends))
        abort();
#endif
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
#ifdef LATE
    blocks[1] = malloc(64);
#endif
#ifdef ADDRESS
    puts(blocks[0] < blocks[1] ? "ascending" : "descending");
#endif
    return 0;
}
