/*
 * switch.c - the cost of directed mode's switches and checkpoints, compared with kernel and glibc.
 *
 *   switch bare [REPEATS]      a line "NAME nanoseconds" for each: a bare switch between two
 *                              contexts, a futex hand-off between two kernel threads (on one core
 *                              and on any), a checkpoint (raw clone, the child ends at once, waited
 *                              for) and glibc's fork of the same process of 10 MB. Linked with
 *                              src/rt/direct/schedule/switch.S.
 *   switch events N            two threads add to one variable, 2 N accesses in all; the harness
 *                              records it with a switch at every access, and with none.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_SWITCH
void pf_switch(void **save, void *sp, uint64_t fs);
bool pf_switch_slow;
/* Stub: contexts never become kernel threads in this benchmark. */
void pf_baton_begin(void *context);
void pf_baton_begin(void *context) { (void)context; }
#endif

enum { SWITCHES = 1000000, HANDOFFS = 20000, COPIES = 100, HEAP = 10 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The minimum of several repeats: the excess of the others is caused by other load. */
static double least(double (*f)(void), int repeats)
{
    double best = f();
    while (--repeats > 0) {
        double t = f();
        best = t < best ? t : best;
    }
    return best;
}

#ifdef WITH_SWITCH
static void *here, *there;
static uint64_t fs;

static void other(void)
{
    for (;;)
        pf_switch(&there, here, fs);
}

static double bare(void)
{
    static _Alignas(16) uint64_t stack[4096];
    uint64_t *sp = stack + 4096 - 16;
    uint32_t mxcsr, control = 0;
    __asm__("stmxcsr %0" : "=m"(mxcsr));
    __asm__("fnstcw %0" : "=m"(control));
    memset(sp, 0, 64);
    sp[0] = mxcsr | (uint64_t)control << 32;
    sp[7] = (uint64_t)other;
    there = sp;
    fs = (uint64_t)__builtin_thread_pointer();
    double start = now();
    for (int i = 0; i < SWITCHES / 2; i++)
        pf_switch(&here, there, fs);
    return (now() - start) / SWITCHES;
}
#endif

static _Atomic uint32_t turn;

static void hand_over(uint32_t me)
{
    for (int i = 0; i < HANDOFFS / 2; i++) {
        while (atomic_load(&turn) != me)
            syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !me, NULL, NULL, 0);
        atomic_store(&turn, !me);
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}
static void *second(void *arg)
{
    hand_over(1);
    return arg;
}
static double handoff(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    double start = now();
    hand_over(0);
    pthread_join(t, NULL);
    return (now() - start) / HANDOFFS;
}
static double handoff_one_core(void)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    double t = handoff();
    sched_setaffinity(0, sizeof all, &all);
    return t;
}

static double copies(bool raw)
{
    double start = now();
    for (int i = 0; i < COPIES; i++) {
        pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        if (pid == 0)
            _exit(0);
        waitpid(pid, NULL, 0);
    }
    return (now() - start) / COPIES;
}
static double checkpoint(void) { return copies(true); }
static double fork_glibc(void) { return copies(false); }

static volatile long shared;
static void *add(void *n)
{
    for (long i = 0; i < (long)n; i++)
        shared++;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "events")) {
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, add, (void *)atol(argv[2]));
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        printf("%d\n", shared > 0);
        return 0;
    }
    int repeats = argc > 2 ? atoi(argv[2]) : 5;
    char *heap = malloc(HEAP);
    memset(heap, 1, HEAP);
#ifdef WITH_SWITCH
    printf("switch_bare %.1f\n", least(bare, repeats));
#endif
    printf("futex_one_core %.1f\n", least(handoff_one_core, repeats));
    printf("futex_any_core %.1f\n", least(handoff, repeats));
    printf("checkpoint_10MB %.0f\n", least(checkpoint, repeats));
    printf("fork_10MB %.0f\n", least(fork_glibc, repeats));
    return heap[HEAP / 2] != 1;
}
