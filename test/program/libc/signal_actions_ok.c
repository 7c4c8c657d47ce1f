// The target sees its own signal actions, and every flag has its effect.
// tsan: it delays handlers
// want: none
// stdout: default handler other reset nodefer masked set fault
// flags: -Wno-deprecated-declarations
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf back;
static volatile int depth, deepest, ran;

static void simple(int number) { ran = number; }
static void nests(int number)
{
    if (++depth > deepest)
        deepest = depth;
    if (depth < 3)
        raise(number);
    depth--;
}
static void other(int number)
{
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    ran = sigismember(&now, SIGUSR2) ? number : -1;
}
static void fault(int number) { siglongjmp(back, number); }

int main(void)
{
    struct sigaction a = {.sa_handler = simple}, old;
    sigaction(SIGUSR1, &a, &old);
    if (old.sa_handler == SIG_DFL)
        printf("default ");
    sigaction(SIGUSR1, NULL, &old);
    if (old.sa_handler == simple && old.sa_flags == 0)
        printf("handler ");
    if (signal(SIGUSR1, nests) == simple && signal(SIGUSR1, SIG_IGN) == nests &&
        raise(SIGUSR1) == 0)
        printf("other ");
    a = (struct sigaction){.sa_handler = simple, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGURG, &a, NULL);
    raise(SIGURG);
    sigaction(SIGURG, NULL, &old);
    ran = 0;
    raise(SIGURG); /* ignored by default */
    if (old.sa_handler == SIG_DFL && !ran)
        printf("reset ");
    a = (struct sigaction){.sa_handler = nests, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    if (deepest == 3)
        printf("nodefer ");
    a = (struct sigaction){.sa_handler = other};
    sigaddset(&a.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    if (ran == SIGUSR1)
        printf("masked ");
    sighold(SIGUSR2);
    raise(SIGUSR2); /* pending; its action is to end the process */
    if (sigset(SIGUSR2, simple) == SIG_HOLD && ran == SIGUSR2)
        printf("set ");
    signal(SIGSEGV, fault);
    int *volatile bad = NULL;
    if (!sigsetjmp(back, 1))
        *bad = 1;
    else
        printf("fault");
    puts("");
    return 0;
}
