/* child.c - see child.h. The signals are blocked and taken one by one with sigwaitinfo, so there
 * is no handler that could race with the rest. Signals from the terminal or the kernel have
 * si_code > 0. */
#define _GNU_SOURCE
#include "child.h"
#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int forwarded[] = {SIGINT,  SIGQUIT,  SIGTERM, SIGHUP,    SIGUSR1, SIGUSR2,
                                SIGALRM, SIGWINCH, SIGPIPE, SIGVTALRM, SIGPROF, SIGCONT};

/* How long to wait for processes that the program left behind and that may be about to end. */
#define SECOND 1000000000ll /* in nanoseconds */
#define LEFTOVER_GRACE (SECOND / 5)

/* Takes the status of all processes that have ended. Returns true if `c` is among them. *left: some
 * others still run. */
static bool reap(const struct pf_child *c, int *status, bool *left)
{
    bool ended = false;
    pid_t some;
    int wait;
    while ((some = waitpid(-1, &wait, WNOHANG)) > 0)
        if (some == c->pid) {
            ended = true;
            *status = wait;
        } else if (c->reaped) {
            c->reaped(c->arg, some, wait);
        }
    *left = some == 0;
    return ended;
}

static bool processes_remain(const struct pf_child *c)
{
    struct timespec now;
    int ignored;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = now.tv_sec * SECOND + now.tv_nsec + LEFTOVER_GRACE;
    for (int sig = SIGCHLD; sig == SIGCHLD || sig < 0;) {
        bool some;
        reap(c, &ignored, &some);
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t left = end - (now.tv_sec * SECOND + now.tv_nsec);
        if (!some || left <= 0)
            return some;
        struct timespec most = {left / SECOND, left % SECOND};
        sig = sigtimedwait(&c->set, NULL, &most);
    }
    return true; /* another signal arrived: stop waiting */
}

/* With `all`, also waits for processes that the program left behind; a forwarded signal then
 * ends the wait. */
static struct pf_child_end await(const struct pf_child *c, bool all)
{
    struct pf_child_end end = {.left_running = true};
    for (bool ended = false; !ended || (all && end.left_running);) {
        siginfo_t info;
        int sig = sigwaitinfo(&c->set, &info);
        if (sig != SIGCHLD && sig > 0) {
            if (ended && sig != SIGCONT && sig != SIGWINCH)
                break;
            if (!ended && info.si_code <= 0 && info.si_pid != c->pid)
                kill(c->pid, sig);
            continue;
        }
        ended |= reap(c, &end.wait, &end.left_running);
    }
    if (!all && end.left_running)
        end.left_running = processes_remain(c);
    return end;
}

pf_status pf_child_start(struct pf_child *c, const struct pf_command *command, struct pf_error *e)
{
    *c = (struct pf_child){0};
    sigemptyset(&c->set);
    sigaddset(&c->set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        sigaddset(&c->set, forwarded[i]);
    sigprocmask(SIG_BLOCK, &c->set, &c->before);
    /* if SIGCHLD were ignored, its end would not be reported */
    sighandler_t on_child = signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct pf_command_setup how = {.mask = &c->before, .output = -1, .on_child = on_child};
    pf_status s = pf_command_spawn(command, &how, &c->pid, e);
    if (s != PF_OK)
        sigprocmask(SIG_SETMASK, &c->before, NULL);
    return s;
}

void pf_child_await(struct pf_child *c, bool all, struct pf_child_end *end)
{
    *end = await(c, all);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
}

pf_status pf_child_run(const struct pf_command *command, bool all, struct pf_child_end *end,
                       struct pf_error *e)
{
    struct pf_child c;
    pf_status s = pf_child_start(&c, command, e);
    if (s == PF_OK)
        pf_child_await(&c, all, end);
    return s;
}
