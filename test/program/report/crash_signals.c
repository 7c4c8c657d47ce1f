// A crash under pf run: the name of the signal and the stack, then the status that the program has
// without pf; where the program has its own handler, nothing.
// levels: O1
// case: run -- main segv
// exit: 139
// err: ERROR: photofinish: SIGSEGV on address 0x8 in main thread
// err: #0 segv
// err: #1 crash
// err: #2 main
// err: SUMMARY: photofinish: SIGSEGV
// case: run -- thread segv
// exit: 139
// err: ERROR: photofinish: SIGSEGV on address 0x8 in thread T1 'crasher'
// err: #0 segv
// err: #2 run
// case: run -- main bus
// exit: 135
// err: ERROR: photofinish: SIGBUS on address
// err: #0 bus
// case: run -- main fpe
// exit: 136
// err: ERROR: photofinish: SIGFPE at
// err: #0 crash
// case: run -- main ill
// exit: 132
// err: ERROR: photofinish: SIGILL at
// err: #0 crash
// case: run -- main assert
// exit: 134
// err: ERROR: photofinish: SIGABRT in main thread
// err: crash_signals.c:
// case: run -- main pipe
// exit: 141
// err: ERROR: photofinish: SIGPIPE in main thread
// err: #1 closed
// err: SUMMARY: photofinish: SIGPIPE
// case: run -- thread file
// exit: 153
// err: ERROR: photofinish: SIGXFSZ in thread T1 'crasher'
// err: #1 limited
// case: run -- ignore pipe
// case: run -- main pipe
// env: PF_OPTIONS=handle_sigpipe=0
// exit: 141
// noerr: ERROR: photofinish
// case: run -- main strlen
// exit: 139
// err: ERROR: photofinish: SIGSEGV on address 0x0
// err: #0 crash
// case: run -- main kill
// exit: 139
// err: ERROR: photofinish: SIGSEGV in main thread
// err: #0 kill
// case: run -- {main,thread} overflow
// exit: 139
// err: ERROR: photofinish: SIGSEGV on address
// err: overflow
// case: run -- {small,again,once} segv
// exit: 139
// err: ERROR: photofinish: SIGSEGV on address 0x8
// err: #0 segv
// err: SUMMARY: photofinish: SIGSEGV
// case: run -- fork segv
// exit: 11
// err: ERROR: photofinish: SIGSEGV on address 0x8
// err: #0 segv
// case: run -- own segv
// exit: 11
// out: own
// noerr: photofinish
// case: run -- main segv
// env: PF_OPTIONS=handle_segv=0
// exit: 139
// noerr: ERROR: photofinish
// case: run --quiet -- main segv
// exit: 139
// noerr: ERROR: photofinish
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static volatile int zero, depth;
static char *volatile nowhere;
NOINLINE static void segv(void) { nowhere[8] = 1; }
NOINLINE static void bus(void)
{
    FILE *f = tmpfile();
    char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);
    zero = p[0];
}
NOINLINE static int fpe(int by) { return 1000000 / by; }
NOINLINE static void ill(void) { __builtin_trap(); }
NOINLINE static void closed(void)
{
    int ends[2];
    if (pipe(ends) == 0 && close(ends[0]) == 0)
        zero = (int)write(ends[1], "x", 1) + 1;
}
NOINLINE static void limited(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){10, 10});
    int fd = fileno(tmpfile());
    while (write(fd, "more than ten bytes", 19) > 0) /* first ten bytes */
        zero = 0;
}
NOINLINE static int overflow(int n)
{
    char room[4096];
    memset(room, n, sizeof room);
    depth = n;
    return overflow(n + 1) + room[n % 7];
}
NOINLINE static void crash(const char *how)
{
    if (!strcmp(how, "segv"))
        segv();
    else if (!strcmp(how, "bus"))
        bus();
    else if (!strcmp(how, "fpe"))
        zero = fpe(zero);
    else if (!strcmp(how, "ill"))
        ill();
    else if (!strcmp(how, "pipe"))
        closed();
    else if (!strcmp(how, "file"))
        limited();
    else if (!strcmp(how, "overflow"))
        zero = overflow(0);
    else if (!strcmp(how, "assert"))
        assert(zero);
    else if (!strcmp(how, "strlen"))
        zero = (int)strlen(nowhere);
    else if (!strcmp(how, "kill"))
        kill(getpid(), SIGSEGV);
}
static void *run(void *how)
{
    pthread_setname_np(pthread_self(), "crasher");
    crash(how);
    return NULL;
}
static void own(int number)
{
    (void)!write(1, "own\n", 4);
    _exit(number);
}
static void seen(int number) { zero = 0 * number; }
static void small_stack(void)
{
    static char stack[8192];
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    assert(sigaltstack(&s, &old) == 0 && old.ss_flags == SS_DISABLE);
    assert(sigaltstack(NULL, &old) == 0 && old.ss_sp == stack);
}
int main(int argc, char **argv)
{
    const char *setup = argv[1], *how = argv[2];
    struct sigaction old;
    assert(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL && argc);
    if (!strcmp(setup, "thread")) {
        pthread_t t;
        pthread_create(&t, NULL, run, argv[2]);
        pthread_join(t, NULL);
    } else if (!strcmp(setup, "ignore")) {
        assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    } else if (!strcmp(setup, "own")) {
        assert(signal(SIGSEGV, own) == SIG_DFL);
    } else if (!strcmp(setup, "again")) {
        assert(signal(SIGSEGV, own) == SIG_DFL);
        assert(signal(SIGSEGV, SIG_DFL) == own);
        assert(signal(SIGSEGV, SIG_DFL) == SIG_DFL);
    } else if (!strcmp(setup, "once")) { /* the second signal has the default action */
        struct sigaction act = {.sa_handler = seen, .sa_flags = (int)SA_RESETHAND};
        sigaction(SIGSEGV, &act, NULL);
        raise(SIGSEGV);
    } else if (!strcmp(setup, "small")) {
        small_stack();
    } else if (!strcmp(setup, "fork")) {
        int status;
        pid_t child = fork();
        if (!child)
            crash(how);
        waitpid(child, &status, 0);
        return WTERMSIG(status);
    }
    crash(how);
    return 0;
}
