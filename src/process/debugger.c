/* debugger.c - see debugger.h. */
#define _GNU_SOURCE
#include "debugger.h"
#include "libdir.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool is_over(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == pid;
}

/* Waits until the target has stopped. False: it ended before it reached the point. */
static bool await_stop(struct pf_channel *c, pid_t target)
{
    const struct timespec look = {0, 50000000};
    while (!__atomic_load_n(&c->stopped, __ATOMIC_SEQ_CST)) {
        syscall(SYS_futex, &c->stopped, FUTEX_WAIT, 0, &look, NULL, 0);
        if (is_over(target))
            return false;
    }
    return true;
}

/* In the child: executes gdb. The commands given to it: pass on the runtime's signals, note
 * which thread is at the point, let the target continue, and load the script that reads the
 * target's stacks. */
static void become_gdb(const struct pf_channel *c, pid_t target, char **arguments, int report)
{
    char pid[32], point[64], go[96], *script = NULL;
    const char *libdir = pf_libdir_find("/gdb.py");
    size_t n = 0;
    snprintf(pid, sizeof pid, "%d", target);
    snprintf(point, sizeof point, "set $pf_point = %u", c->stopped);
    snprintf(go, sizeof go, "set {unsigned int}%#llx = 1",
             PF_CHANNEL_BASE + offsetof(struct pf_channel, go));
    if (libdir && asprintf(&script, "%s/gdb.py", libdir) < 0)
        script = NULL;
    while (arguments[n])
        n++;
    /* SIG64 is the runtime's tick (PF_ORPHAN_SIGNAL). gdb.py handles SIGTRAP. */
    char *first[] = {"gdb",  "-q",
                     "-iex", "handle SIGSYS nostop noprint pass",
                     "-iex", "handle SIG64 nostop noprint pass",
                     "-p",   pid,
                     "-ex",  point,
                     "-ex",  go,
                     "-x",   script};
    size_t nfirst = sizeof first / sizeof first[0] - (script ? 0 : 2);
    char **argv = calloc(nfirst + n + 1, sizeof *argv);
    if (argv) {
        memcpy(argv, first, nfirst * sizeof *argv);
        memcpy(argv + nfirst, arguments, n * sizeof *argv);
        execvp("gdb", argv);
    }
    int reason = errno;
    if (write(report, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

pf_status pf_debugger_run(struct pf_channel *c, const struct pf_child *target, char **arguments,
                          int *status, struct pf_error *e)
{
    int pipes[2], reason;
    if (!await_stop(c, target->pid))
        return PF_OK;
    pf_status s = PF_OK;
    pid_t gdb = pipe2(pipes, O_CLOEXEC) ? -1 : fork();
    if (gdb == 0) {
        sigprocmask(SIG_SETMASK, &target->before, NULL);
        become_gdb(c, target->pid, arguments, pipes[1]);
    }
    reason = errno;
    if (gdb > 0) {
        close(pipes[1]);
        reason = 0;
        if (read(pipes[0], &reason, sizeof reason) < 0)
            reason = errno;
        close(pipes[0]);
        while (waitpid(gdb, status, 0) < 0 && errno == EINTR)
            ;
    }
    if (reason == ENOENT)
        s = pf_fail(e, PF_IO, "gdb is not installed; it is in the Debian package gdb");
    else if (reason)
        s = pf_fail(e, PF_IO, "gdb: %s", strerror(reason));
    kill(target->pid, SIGKILL);
    return s;
}
