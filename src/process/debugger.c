/* debugger.c - see debugger.h. */
#define _GNU_SOURCE
#include "debugger.h"
#include "allocation.h"
#include "libdir.h"
#include "program.h"
#include <errno.h>
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

/* Finds gdb in PATH. */
static pf_status find_gdb(char **path, struct pf_error *e)
{
    struct pf_error ignored;
    if (pf_program_find("gdb", path, &ignored) == PF_OK)
        return PF_OK;
    *path = NULL;
    return pf_fail(e, PF_IO, "gdb is not installed; it is in the Debian package gdb");
}

/* Runs gdb to its end. The commands given to it: pass on the runtime's signals, note which thread
 * is at the point, let the target continue, and load the script that reads the target's stacks. */
static pf_status run_gdb(const struct pf_channel *c, const struct pf_child *target,
                         char **arguments, int *status, struct pf_error *e)
{
    char pid[32], point[64], address[64], go[96], *script = NULL, *path = NULL;
    const char *libdir = pf_libdir_find("/gdb.py");
    size_t n = 0;
    snprintf(pid, sizeof pid, "%d", target->pid);
    snprintf(point, sizeof point, "set $pf_point = %u", c->stopped);
    snprintf(address, sizeof address, "set $pf_go = %#llx",
             PF_CHANNEL_BASE + offsetof(struct pf_channel, go));
    snprintf(go, sizeof go, "set {unsigned int}%#llx = 1",
             PF_CHANNEL_BASE + offsetof(struct pf_channel, go));
    if (libdir)
        script = pf_mem_format("%s/gdb.py", libdir);
    while (arguments[n])
        n++;
    /* SIG64 (PF_ORPHAN_SIGNAL) is the signal of the runtime's timer. gdb.py handles SIGTRAP. */
    char *first[] = {"gdb",  "-q",
                     "-iex", "handle SIGSYS nostop noprint pass",
                     "-iex", "handle SIG64 nostop noprint pass",
                     "-p",   pid,
                     "-ex",  point,
                     "-ex",  address,
                     "-ex",  go,
                     "-x",   script};
    size_t nfirst = sizeof first / sizeof first[0] - (script ? 0 : 2);
    char **argv = pf_mem_zero(nfirst + n + 1, sizeof *argv);
    pf_status s = find_gdb(&path, e);
    pid_t gdb = 0;
    if (s == PF_OK) {
        memcpy(argv, first, nfirst * sizeof *argv);
        memcpy(argv + nfirst, arguments, n * sizeof *argv);
        struct pf_command command = {.path = path, .argv = argv};
        struct pf_command_setup how = {.mask = &target->before, .output = -1, .on_child = SIG_DFL};
        s = pf_command_spawn(&command, &how, &gdb, e);
    }
    while (s == PF_OK && waitpid(gdb, status, 0) < 0 && errno == EINTR)
        ;
    free(argv);
    free(path);
    free(script);
    return s;
}

pf_status pf_debugger_run(struct pf_channel *c, const struct pf_child *target, char **arguments,
                          int tell, int *status, struct pf_error *e)
{
    if (!await_stop(c, target->pid))
        return PF_OK;
    if (tell) {
        const struct timespec interval = {0, 20000000};
        if (dprintf(tell, "%d %u\n", (int)target->pid, c->stopped) < 0)
            kill(target->pid, SIGKILL);
        close(tell);
        *status = 0; /* the process that debugs it reports how it ends */
        while (!is_over(target->pid))
            nanosleep(&interval, NULL);
        return PF_OK;
    }
    pf_status s = run_gdb(c, target, arguments, status, e);
    kill(target->pid, SIGKILL);
    return s;
}
