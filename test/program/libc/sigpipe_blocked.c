// want: none
/*
 * sigpipe_blocked.c - a message of the runtime that nobody reads leaves no SIGPIPE behind, also if
 * the program blocks this signal: it would be killed when it unblocks the signal.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

int main(void)
{
    sigset_t set;
    int ends[2];
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int before = dup(2);
    if (pipe(ends) || close(ends[0]) || dup2(ends[1], 2) != 2)
        return 2;
    dlopen("libm.so.6", RTLD_NOW | RTLD_DEEPBIND); /* the runtime prints that it drops the flag */
    dup2(before, 2);
    sigpending(&set);
    return sigismember(&set, SIGPIPE);
}
