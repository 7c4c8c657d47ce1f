/*
 * keeper.c - see keeper.h. The keeper is a loop over four descriptors: signals (as a signalfd), the
 * program's output, the life line to us, and the clock. Ending a tree of processes: all descendants are
 * looked up in /proc and signalled again and again until none is left, because a process can fork
 * between the look and the signal; none can escape, since orphans come to the keeper.
 */
#define _GNU_SOURCE
#include "keeper.h"
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

#define GIVE_UP_NS 5000000000ull /* on processes that even SIGKILL does not end */
#define FOREVER UINT64_MAX

struct guard {
    const struct pf_keep *what;
    struct pf_kept *result;
    pid_t child;
    bool ended; /* the program; what it left behind may go on */
    bool empty; /* nothing is left below us */
    int signals, output, life;
    uint64_t began, deadline;
    enum { RUNNING, ASKED, FORCED } phase;
};

/* --- the child --- */

static void say(const char *path, const char *why)
{
    dprintf(STDERR_FILENO, "pf: %s: %s\n", path, why);
}

static _Noreturn void become(const struct pf_keep *k, int output, int report)
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
        say(k->input, strerror(errno));
    } else if (k->prepare && k->prepare(k->arg, &e) != PF_OK) {
        errno = EINVAL;
        say(k->path, e.text);
    } else if (k->dir && chdir(k->dir)) {
        say(k->dir, strerror(errno));
    } else {
        if (in > STDERR_FILENO)
            close(in);
        execv(k->path, k->argv);
        say(k->path, strerror(errno));
    }
    int reason = errno;
    if (write(report, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* --- the tree --- */

struct tree {
    pid_t *pid, *parent;
    size_t n;
};

/* "pid (name) state ppid ...": the name may hold anything. */
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

/* Signals everything below this process. */
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

/* --- the keeper --- */

static void reap(struct guard *g)
{
    int wait;
    pid_t pid;
    while ((pid = waitpid(-1, &wait, WNOHANG)) > 0)
        if (pid == g->child) {
            g->ended = true;
            g->result->wait = wait;
            g->result->wall_ns = pf_now_ns() - g->began;
            if (g->phase == RUNNING)
                g->deadline = pf_now_ns() + g->what->grace_ms * 1000000; /* for what it left */
        }
    g->empty = pid < 0 && errno == ECHILD;
}

/* Keeps the last bytes. False: nobody can write any more. */
static bool take_output(struct guard *g)
{
    char bytes[PF_KEPT_OUTPUT];
    ssize_t n;
    while ((n = read(g->output, bytes, sizeof bytes)) > 0) {
        struct pf_kept *r = g->result;
        size_t fresh = (size_t)n, keep = PF_KEPT_OUTPUT - fresh;
        if (keep > r->noutput)
            keep = r->noutput;
        memmove(r->output, r->output + r->noutput - keep, keep);
        memcpy(r->output + keep, bytes, fresh);
        r->noutput = (uint32_t)(keep + fresh);
    }
    return n < 0;
}

/* Asked first, forced after the grace. */
static void next_phase(struct guard *g, enum pf_kept_how how)
{
    bool asked = g->phase != RUNNING;
    if (!g->ended && !asked)
        g->result->how = how;
    g->result->ended_some |= g->ended;
    if (g->phase == FORCED) {
        g->result->left_some = true;
        g->empty = true;
        return;
    }
    g->phase = asked ? FORCED : ASKED;
    g->deadline = pf_now_ns() + (asked ? GIVE_UP_NS : g->what->grace_ms * 1000000);
    signal_tree(asked ? SIGKILL : SIGTERM);
    if (!asked)
        signal_tree(SIGCONT); /* one that is stopped would never hear it */
}

static int wait_ms(const struct guard *g)
{
    if (g->phase == FORCED)
        return 10; /* what was forked meanwhile gets its signal too */
    if (g->deadline == FOREVER)
        return -1;
    uint64_t now = pf_now_ns();
    uint64_t ms = g->deadline > now ? (g->deadline - now) / 1000000 + 1 : 0;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static void watch(struct guard *g)
{
    struct pollfd fds[] = {{g->signals, POLLIN, 0}, {g->life, POLLIN, 0}, {g->output, POLLIN, 0}};
    while (!g->empty) {
        poll(fds, 3, wait_ms(g));
        struct signalfd_siginfo info;
        bool told = false;
        while (read(g->signals, &info, sizeof info) == (ssize_t)sizeof info)
            told |= info.ssi_signo == SIGTERM;
        if (fds[1].revents) { /* we are alone: at once, nobody waits for the result */
            fds[1].fd = -1;
            g->phase = ASKED;
            told = true;
        }
        if (fds[2].revents && !take_output(g))
            fds[2].fd = -1;
        reap(g);
        if (g->empty)
            break;
        if (g->phase == FORCED)
            signal_tree(SIGKILL);
        if (told || pf_now_ns() >= g->deadline)
            next_phase(g, told ? PF_KEPT_STOPPED : PF_KEPT_LIMIT);
    }
    take_output(g);
}

/* What the keeper has no use for must not keep the other ends open: descriptors above stderr but its
 * own are closed. */
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

static void send(int fd, const struct pf_kept *r)
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

static _Noreturn void keep(const struct pf_keep *what, int life, int answer)
{
    struct pf_kept r = {.how = PF_KEPT_UNSTARTED};
    struct guard g = {.what = what, .result = &r, .life = life, .deadline = FOREVER};
    struct rusage used;
    sigset_t set;
    int output[2], report[2];
    close_others((int[]){life, answer, what->lock}, 3);
    setsid(); /* the terminal's signals are for pf */
    for (int sig = 1; sig < SIGRTMIN; sig++)
        signal(sig, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_SETMASK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* Locked first, then a look at the life line: who finds us dead finds the lock too. */
    struct flock byte = {.l_type = F_WRLCK, .l_start = what->byte, .l_len = 1};
    struct pollfd alone = {life, POLLIN, 0};
    if (what->lock >= 0)
        fcntl(what->lock, F_SETLK, &byte);
    if (poll(&alone, 1, 0) > 0)
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
        become(what, output[1], report[1]);
    }
    r.reason = errno;
    close(output[1]);
    close(report[1]);
    if (g.child > 0 && read(report[0], &r.reason, sizeof r.reason) != (ssize_t)sizeof r.reason)
        r.how = PF_KEPT_ENDED;
    watch(&g);
    getrusage(RUSAGE_CHILDREN, &used);
    r.cpu_ns = ((uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec) * 1000000000u +
               ((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_stime.tv_usec) * 1000u;
    r.peak_kb = (uint64_t)used.ru_maxrss;
    send(answer, &r);
    _exit(0);
}

/* --- our side --- */

pf_status pf_keeper_life_init(struct pf_keeper_life *l, struct pf_error *e)
{
    return pipe2(l->fd, O_CLOEXEC) ? pf_fail(e, PF_IO, "pipe: %s", strerror(errno)) : PF_OK;
}

pf_status pf_keeper_start(struct pf_keeper *k, const struct pf_keep *what,
                          const struct pf_keeper_life *life, struct pf_error *e)
{
    int answer[2];
    if (pipe2(answer, O_CLOEXEC))
        return pf_fail(e, PF_IO, "%s: pipe: %s", what->path, strerror(errno));
    k->pid = fork();
    if (k->pid == 0)
        keep(what, life->fd[0], answer[1]);
    int reason = errno;
    close(answer[1]);
    if (k->pid < 0) {
        close(answer[0]);
        return pf_fail(e, PF_IO, "%s: fork: %s", what->path, strerror(reason));
    }
    k->fd = answer[0];
    return PF_OK;
}

void pf_keeper_stop(const struct pf_keeper *k) { kill(k->pid, SIGTERM); }

bool pf_keeper_collect(struct pf_keeper *k, struct pf_kept *result)
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
