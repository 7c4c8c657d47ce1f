/* supervisor.c - see supervisor.h. The supervisor is a loop over signals (a signalfd), the
 * program's output, the lifeline from pf, and a deadline. To end a tree of processes it finds
 * all descendants in /proc and signals them again and again until none is left, because a
 * process can fork between the scan and the signal. No process can escape, since orphans become
 * children of the supervisor. */
#define _GNU_SOURCE
#include "supervisor.h"
#include "duration.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIVE_UP_NS 5000000000ull /* how long to wait for processes that do not end after SIGKILL */
#define FOREVER UINT64_MAX

struct supervised {
    const struct pf_supervisor_job *what;
    struct pf_supervisor_result *result;
    pid_t child;
    bool ended; /* the program has ended; processes that it left behind may still run */
    bool empty; /* no descendants are left */
    int signals, output, life;
    uint64_t began, deadline;
    enum { RUNNING, TERMINATING, KILLING } phase;
};

/* --- the child --- */

static void print_error(const char *path, const char *why)
{
    dprintf(STDERR_FILENO, "pf: %s: %s\n", path, why);
}

static _Noreturn void exec_program(const struct pf_supervisor_job *k, int output, int report)
{
    struct pf_error e;
    sigset_t none;
    int in = open(k->input ? k->input : "/dev/null", O_RDONLY);
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0) {
        print_error(k->input, strerror(errno));
    } else if (k->prepare && k->prepare(k->arg, &e) != PF_OK) {
        errno = EINVAL;
        print_error(k->path, e.text);
    } else if (k->dir && chdir(k->dir)) {
        print_error(k->dir, strerror(errno));
    } else {
        if (in > STDERR_FILENO)
            close(in);
        execv(k->path, k->argv);
        print_error(k->path, strerror(errno));
    }
    int reason = errno;
    if (write(report, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* --- the process tree --- */

struct tree {
    pid_t *pid, *parent;
    size_t n;
};

/* Reads "pid (name) state ppid ..."; the name may contain any characters. 0 for a zombie. */
static pid_t parent_of(pid_t pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    text[n] = 0;
    const char *s = strrchr(text, ')');
    return s && s[1] && s[2] && s[2] != 'Z' ? (pid_t)strtol(s + 3, NULL, 10) : 0;
}

static bool is_below(const struct tree *t, pid_t pid, pid_t top)
{
    for (size_t steps = 0; pid > 1 && steps <= t->n; steps++) {
        pid_t parent = 0;
        for (size_t i = 0; i < t->n; i++)
            if (t->pid[i] == pid)
                parent = t->parent[i];
        if (parent == top)
            return true;
        pid = parent;
    }
    return false;
}

/* Signals all descendants of this process. */
static void signal_tree(int sig)
{
    struct tree t = {0};
    size_t cap = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *f; d && (f = readdir(d));) {
        if (!isdigit((unsigned char)f->d_name[0]))
            continue;
        if (t.n == cap) {
            cap = cap ? 2 * cap : 256;
            pid_t *pid = realloc(t.pid, cap * sizeof *pid);
            pid_t *parent = pid ? realloc(t.parent, cap * sizeof *parent) : NULL;
            t.pid = pid ? pid : t.pid;
            t.parent = parent ? parent : t.parent;
            if (!parent)
                break;
        }
        t.pid[t.n] = (pid_t)strtol(f->d_name, NULL, 10);
        t.parent[t.n] = parent_of(t.pid[t.n]);
        t.n++;
    }
    if (d)
        closedir(d);
    for (size_t i = 0; i < t.n; i++)
        if (t.pid[i] != getpid() && is_below(&t, t.pid[i], getpid()))
            kill(t.pid[i], sig);
    free(t.pid);
    free(t.parent);
}

/* --- the supervisor --- */

static void reap(struct supervised *g)
{
    int wait;
    pid_t pid;
    while ((pid = waitpid(-1, &wait, WNOHANG)) > 0)
        if (pid == g->child) {
            g->ended = true;
            g->result->wait = wait;
            g->result->wall_ns = pf_now_ns() - g->began;
            if (g->phase == RUNNING)
                /* for processes it left behind */
                g->deadline = pf_now_ns() + g->what->grace_ms * 1000000;
        }
    g->empty = pid < 0 && errno == ECHILD;
}

/* Keeps the last bytes of the output. False: end of file, no process can write any more. */
static bool take_output(struct supervised *g)
{
    char bytes[PF_SUPERVISED_OUTPUT];
    ssize_t n;
    while ((n = read(g->output, bytes, sizeof bytes)) > 0) {
        struct pf_supervisor_result *r = g->result;
        size_t fresh = (size_t)n, keep = PF_SUPERVISED_OUTPUT - fresh;
        if (keep > r->noutput)
            keep = r->noutput;
        memmove(r->output, r->output + r->noutput - keep, keep);
        memcpy(r->output + keep, bytes, fresh);
        r->noutput = (uint32_t)(keep + fresh);
    }
    return n < 0;
}

/* Sends SIGTERM, then SIGKILL after the grace period, then gives up. */
static void next_phase(struct supervised *g, enum pf_supervisor_outcome how)
{
    bool terminating = g->phase != RUNNING;
    if (!g->ended && !terminating)
        g->result->how = how;
    g->result->leftovers_killed |= g->ended;
    if (g->phase == KILLING) {
        g->result->leftovers_alive = true;
        g->empty = true;
        return;
    }
    g->phase = terminating ? KILLING : TERMINATING;
    g->deadline = pf_now_ns() + (terminating ? GIVE_UP_NS : g->what->grace_ms * 1000000);
    signal_tree(terminating ? SIGKILL : SIGTERM);
    if (!terminating)
        signal_tree(SIGCONT); /* a stopped process handles SIGTERM only after SIGCONT */
}

static int poll_timeout_ms(const struct supervised *g)
{
    if (g->phase == KILLING)
        return 10; /* scan again soon: a process may have forked before it was killed */
    if (g->deadline == FOREVER)
        return -1;
    uint64_t now = pf_now_ns();
    uint64_t ms = g->deadline > now ? (g->deadline - now) / 1000000 + 1 : 0;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static void watch(struct supervised *g)
{
    struct pollfd fds[] = {{g->signals, POLLIN, 0}, {g->life, POLLIN, 0}, {g->output, POLLIN, 0}};
    while (!g->empty) {
        poll(fds, 3, poll_timeout_ms(g));
        struct signalfd_siginfo info;
        bool stop_requested = false;
        while (read(g->signals, &info, sizeof info) == (ssize_t)sizeof info)
            stop_requested |= info.ssi_signo == SIGTERM;
        if (fds[1].revents) { /* pf is dead: kill at once, nobody waits for the result */
            fds[1].fd = -1;
            g->phase = TERMINATING;
            stop_requested = true;
        }
        if (fds[2].revents && !take_output(g))
            fds[2].fd = -1;
        reap(g);
        if (g->empty)
            break;
        if (g->phase == KILLING)
            signal_tree(SIGKILL);
        if (stop_requested || pf_now_ns() >= g->deadline)
            next_phase(g, stop_requested ? PF_SUPERVISED_STOPPED : PF_SUPERVISED_LIMIT);
    }
    take_output(g);
}

/* Closes all descriptors above stderr except those in `keep`: inherited copies would keep the
 * other ends of pf's pipes open. */
static void close_others(const int *keep, size_t n)
{
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *f; d && (f = readdir(d));) {
        int fd = atoi(f->d_name);
        bool ours = fd <= STDERR_FILENO || fd == dirfd(d);
        for (size_t i = 0; i < n; i++)
            ours |= fd == keep[i];
        if (!ours)
            close(fd);
    }
    if (d)
        closedir(d);
}

static void send(int fd, const struct pf_supervisor_result *r)
{
    const char *at = (const char *)r;
    for (size_t n = sizeof *r; n;) {
        ssize_t sent = write(fd, at, n);
        if (sent < 0 && errno != EINTR)
            return;
        if (sent > 0) {
            at += sent;
            n -= (size_t)sent;
        }
    }
}

static _Noreturn void supervise(const struct pf_supervisor_job *what, int life, int answer)
{
    struct pf_supervisor_result r = {.how = PF_SUPERVISED_UNSTARTED};
    struct supervised g = {.what = what, .result = &r, .life = life, .deadline = FOREVER};
    struct rusage used;
    sigset_t set;
    int output[2], report[2];
    close_others((int[]){life, answer, what->lock}, 3);
    setsid(); /* signals from the terminal are for pf only */
    for (int sig = 1; sig < SIGRTMIN; sig++)
        signal(sig, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_SETMASK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* Take the lock first, then check the lifeline: whoever sees that pf is dead then also sees
     * the lock. */
    struct flock byte = {.l_type = F_WRLCK, .l_start = what->byte, .l_len = 1};
    struct pollfd parent_dead = {life, POLLIN, 0};
    if (what->lock >= 0)
        fcntl(what->lock, F_SETLK, &byte);
    if (poll(&parent_dead, 1, 0) > 0)
        _exit(0);
    g.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (g.signals < 0 || pipe2(output, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
        r.reason = errno;
        send(answer, &r);
        _exit(0);
    }
    g.output = output[0];
    fcntl(g.output, F_SETFL, O_NONBLOCK);
    g.began = pf_now_ns();
    if (what->limit_ms)
        g.deadline = g.began + what->limit_ms * 1000000;
    g.child = fork();
    if (g.child == 0) {
        signal(SIGPIPE, SIG_DFL);
        exec_program(what, output[1], report[1]);
    }
    r.reason = errno;
    close(output[1]);
    close(report[1]);
    if (g.child > 0 && read(report[0], &r.reason, sizeof r.reason) != (ssize_t)sizeof r.reason)
        r.how = PF_SUPERVISED_ENDED;
    watch(&g);
    getrusage(RUSAGE_CHILDREN, &used);
    r.cpu_ns = ((uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec) * 1000000000u +
               ((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_stime.tv_usec) * 1000u;
    r.peak_kb = (uint64_t)used.ru_maxrss;
    send(answer, &r);
    _exit(0);
}

/* --- in pf --- */

pf_status pf_supervisor_lifeline_init(struct pf_supervisor_lifeline *l, struct pf_error *e)
{
    return pipe2(l->fd, O_CLOEXEC) ? pf_fail(e, PF_IO, "pipe: %s", strerror(errno)) : PF_OK;
}

pf_status pf_supervisor_start(struct pf_supervisor *k, const struct pf_supervisor_job *what,
                              const struct pf_supervisor_lifeline *life, struct pf_error *e)
{
    int answer[2];
    if (pipe2(answer, O_CLOEXEC))
        return pf_fail(e, PF_IO, "%s: pipe: %s", what->path, strerror(errno));
    k->pid = fork();
    if (k->pid == 0)
        supervise(what, life->fd[0], answer[1]);
    int reason = errno;
    close(answer[1]);
    if (k->pid < 0) {
        close(answer[0]);
        return pf_fail(e, PF_IO, "%s: fork: %s", what->path, strerror(reason));
    }
    k->fd = answer[0];
    return PF_OK;
}

void pf_supervisor_stop(const struct pf_supervisor *k) { kill(k->pid, SIGTERM); }

bool pf_supervisor_collect(struct pf_supervisor *k, struct pf_supervisor_result *result)
{
    char *at = (char *)result;
    size_t left = sizeof *result;
    while (left) {
        ssize_t n = read(k->fd, at, left);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        if (n > 0) {
            at += n;
            left -= (size_t)n;
        }
    }
    close(k->fd);
    while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    k->fd = -1;
    return left == 0;
}
