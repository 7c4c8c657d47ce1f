/* supervisor.c - see supervisor.h. The supervisor is a loop over signals (a signalfd), the
 * program's output, the lifeline from pf, and a deadline. To end a tree of processes it sends
 * SIGTERM once. After the grace period it sends SIGKILL to all descendants again and again, because
 * a process can fork between the scan and the signal, until none is left or GIVE_UP_NS have passed.
 * No process can escape, since orphans become children of the supervisor. */
#define _GNU_SOURCE
#include "supervisor.h"
#include "duration.h"
#include "fair_clock.h"
#include "process_tree.h"
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
#define STOP_POLL_MS 20
#define FAIR_LEAST_MS 100 /* between two looks at the CPU time of the processes */

struct supervised {
    const struct pf_command *what;
    struct pf_supervisor_result *result;
    pid_t child;
    bool ended; /* the program has ended; processes that it left behind may still run */
    bool empty; /* no descendants are left */
    int signals, output, life;
    uint64_t began, deadline;
    struct pf_fair_clock fair;
    enum { RUNNING, TERMINATING, KILLING } phase;
};

/* --- the supervisor --- */

/* The end of a grace period that begins now. */
static uint64_t grace_end(const struct supervised *g)
{
    uint64_t end = pf_now_ns() + g->what->grace_ms * 1000000;
    uint64_t last = g->what->kill_at_ms * 1000000;
    return last && last < end ? last : end;
}

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
                /* the grace period of processes that the program left behind */
                g->deadline = grace_end(g);
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

/* Enters the next phase: the first call sends SIGTERM, the second SIGKILL, the third gives up. */
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
    g->deadline = pf_now_ns() + GIVE_UP_NS;
    if (!terminating)
        g->deadline = grace_end(g);
    if (!terminating && g->what->forwards && !g->ended) {
        kill(g->child, SIGTERM);
        return;
    }
    pf_process_tree_signal(terminating ? SIGKILL : SIGTERM);
    if (!terminating)
        pf_process_tree_signal(SIGCONT); /* a stopped process handles SIGTERM only after SIGCONT */
}

/* Ends of the limits, while the program runs: the elapsed time, and the fair time, which can end at
 * this time at the earliest. */
static uint64_t limit_end(const struct supervised *g, uint64_t fair_left_ms)
{
    const struct pf_command *c = g->what;
    uint64_t end = c->limit_ms ? g->began + c->limit_ms * 1000000 : FOREVER;
    uint64_t fair = c->fair_ms ? pf_now_ns() + fair_left_ms * 1000000 : FOREVER;
    return end < fair ? end : fair;
}

/* The deadline has passed. True if it was that of the fair time, and some is left: moves it. */
static bool has_time_left(struct supervised *g)
{
    if (g->phase != RUNNING || g->ended || !g->what->fair_ms ||
        (g->what->limit_ms && pf_now_ns() >= g->began + g->what->limit_ms * 1000000))
        return false;
    uint64_t used = pf_fair_clock_ms(&g->fair, true), most = g->what->fair_ms;
    if (used >= most)
        return false;
    g->deadline = limit_end(g, most - used < FAIR_LEAST_MS ? FAIR_LEAST_MS : most - used);
    return true;
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
            pf_process_tree_signal(SIGKILL);
        if (stop_requested || (pf_now_ns() >= g->deadline && !has_time_left(g)))
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

static pf_status start_command(struct supervised *g, int output, struct pf_error *e)
{
    struct pf_command command = *g->what;
    sigset_t none;
    sigemptyset(&none);
    struct pf_command_setup how = {.mask = &none,
                                   .session = true,
                                   .output = command.output == PF_OUTPUT_KEPT ? output : -1,
                                   .on_child = SIG_DFL};
    command.input = command.input ? command.input : "/dev/null";
    signal(SIGPIPE, SIG_DFL);
    pf_status s = pf_command_spawn(&command, &how, &g->child, e);
    signal(SIGPIPE, SIG_IGN);
    return s;
}

static _Noreturn void supervise(const struct pf_command *what, int life, int answer)
{
    struct pf_supervisor_result r = {.how = PF_SUPERVISED_UNSTARTED};
    struct supervised g = {.what = what, .result = &r, .life = life, .deadline = FOREVER};
    struct rusage used;
    struct pf_error why;
    sigset_t set;
    int output[2];
    close_others((int[]){life, answer, what->lock, what->keep}, 4);
    setsid(); /* signals from the terminal are for pf only */
    for (int sig = 1; sig < SIGRTMIN; sig++)
        signal(sig, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_SETMASK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* Take the lock first, then check the lifeline. Otherwise another pf could see that this pf is
     * dead and find the lock free, while this supervisor is about to start the program. */
    struct flock byte = {.l_type = F_WRLCK, .l_start = what->byte, .l_len = 1};
    struct pollfd parent_dead = {life, POLLIN, 0};
    if (what->lock > 0)
        fcntl(what->lock, F_SETLK, &byte);
    if (poll(&parent_dead, 1, 0) > 0)
        _exit(0);
    g.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (g.signals < 0 || pipe2(output, O_CLOEXEC)) {
        snprintf(r.why, sizeof r.why, "%s", strerror(errno));
        send(answer, &r);
        _exit(0);
    }
    g.output = output[0];
    fcntl(g.output, F_SETFL, O_NONBLOCK);
    g.began = pf_now_ns();
    g.deadline = limit_end(&g, what->fair_ms);
    if (what->fair_ms)
        pf_fair_clock_begin(&g.fair);
    if (start_command(&g, output[1], &why) == PF_OK)
        r.how = PF_SUPERVISED_ENDED;
    else
        snprintf(r.why, sizeof r.why, "%.255s", why.text);
    close(output[1]);
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

pf_status pf_supervisor_start(struct pf_supervisor *k, const struct pf_command *what,
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

pf_status pf_supervisor_run(const struct pf_command *what, bool (*should_stop)(void *), void *arg,
                            struct pf_supervisor_result *result, struct pf_error *e)
{
    struct pf_supervisor_lifeline life;
    struct pf_supervisor k;
    pf_status s = pf_supervisor_lifeline_init(&life, e);
    if (s != PF_OK)
        return s;
    fflush(NULL); /* the supervisor is forked: unflushed output would be written twice */
    s = pf_supervisor_start(&k, what, &life, e);
    if (s == PF_OK) {
        struct pollfd ready = {k.fd, POLLIN, 0};
        bool stopped = false;
        while (poll(&ready, 1, should_stop && !stopped ? STOP_POLL_MS : -1) <= 0)
            if (should_stop && !stopped && should_stop(arg)) {
                pf_supervisor_stop(&k);
                stopped = true;
            }
        if (!pf_supervisor_collect(&k, result))
            *result = (struct pf_supervisor_result){.how = PF_SUPERVISED_STOPPED};
    }
    close(life.fd[0]);
    close(life.fd[1]);
    return s;
}
