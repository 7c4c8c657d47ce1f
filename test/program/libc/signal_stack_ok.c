// A handler on an alternate stack, for a fault and for an external signal; the threads continue.
// want: none
// stdout: both
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local sigjmp_buf back;
static _Thread_local char *lo, *hi;
static _Thread_local volatile int asked;

static void handler(int number, siginfo_t *info, void *at)
{
    char here;
    if (&here >= lo && &here < hi && info && at)
        asked++;
    if (number == SIGSEGV)
        siglongjmp(back, 1);
}
static void *work(void *arg)
{
    size_t size = 1 << 16;
    stack_t s = {.ss_sp = malloc(size), .ss_size = size};
    lo = s.ss_sp;
    hi = lo + size;
    sigaltstack(&s, NULL);
    int *volatile bad = (int *)((uintptr_t)arg % 4096); /* nothing is mapped there */
    for (int i = 0; i < 20; i++) {
        if (!sigsetjmp(back, 1))
            *bad = 1;
        pthread_kill(pthread_self(), SIGUSR1);
    }
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    free(lo);
    return asked == 40 ? arg : NULL;
}
int main(void)
{
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGUSR1, &a, NULL);
    pthread_t t[2];
    void *r[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &t[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &r[i]);
    puts(r[0] && r[1] ? "both" : "not both");
    return 0;
}
