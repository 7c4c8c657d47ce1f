/* server_driver.c - see server_driver.h. Listening processes are found in /proc: the sockets
 * that a process has open are compared with those that the kernel lists as listening. This is
 * polled every few milliseconds, since the kernel has no event for it. */
#define _GNU_SOURCE
#include "server_driver.h"
#include "allocation.h"
#include "command.h"
#include "duration.h"
#include "process_tree.h"
#include "run_report.h"
#include "wait_status.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_MS 5
#define PROCESSES 4096

struct listening {
    unsigned long inode;
    unsigned port; /* 0: a local socket */
};

/* A descendant process. */
struct driven_process {
    pid_t pid;
    uint64_t since_ms, end_requested_ms; /* end_requested 0: not yet */
    bool seen, target, served;
    unsigned port;
};

struct server_driver {
    const struct pf_check_settings *settings;
    const char *report; /* file for the last problem */
    pid_t program;
    struct driven_process at[PROCESSES];
    size_t n;
    pid_t client, client_of;
    bool listened;
    bool once; /* the program runs only once */
};

static size_t read_whole(const char *path, char *to, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    for (ssize_t got; fd >= 0 && n + 1 < room && (got = read(fd, to + n, room - 1 - n)) > 0;)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    to[n] = 0;
    return n;
}

/* --- listening sockets --- */

/* Parses "sl local rem st ... inode" of /proc/net/tcp: state 0A means listening. */
static size_t read_tcp(const char *path, struct listening *to, size_t n, size_t most)
{
    static char text[1 << 18];
    read_whole(path, text, sizeof text);
    for (char *line = strchr(text, '\n'); line && n < most; line = strchr(line, '\n')) {
        unsigned port, state;
        unsigned long inode;
        if (sscanf(++line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*d %*d %lu",
                   &port, &state, &inode) == 3 &&
            state == 0x0a)
            to[n++] = (struct listening){inode, port};
    }
    return n;
}

/* Parses "num refs proto flags type st inode path" of /proc/net/unix: flag 0x10000 means
 * listening. */
static size_t read_local(struct listening *to, size_t n, size_t most)
{
    static char text[1 << 18];
    read_whole("/proc/net/unix", text, sizeof text);
    for (char *line = strchr(text, '\n'); line && n < most; line = strchr(line, '\n')) {
        unsigned flags;
        unsigned long inode;
        if (sscanf(++line, " %*[0-9a-f]: %*x %*x %x %*x %*x %lu", &flags, &inode) == 2 &&
            flags & 0x10000)
            to[n++] = (struct listening){inode, 0};
    }
    return n;
}

static const struct listening *listens(pid_t pid, const struct listening *all, size_t n)
{
    char path[64];
    const struct listening *found = NULL;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *d = opendir(path);
    for (struct dirent *f; d && !found && (f = readdir(d));) {
        char name[64];
        ssize_t len = readlinkat(dirfd(d), f->d_name, name, sizeof name - 1);
        unsigned long inode;
        if (len <= 0)
            continue;
        name[len] = 0;
        if (sscanf(name, "socket:[%lu]", &inode) != 1)
            continue;
        for (size_t i = 0; i < n && !found; i++)
            if (all[i].inode == inode)
                found = &all[i];
    }
    if (d)
        closedir(d);
    return found;
}

/* --- descendant processes --- */

/* True if the process runs the program, rather than a pf around it or a shell. */
static bool is_target(const struct server_driver *a, pid_t pid)
{
    char path[64], exe[4096], wanted[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(path, exe, sizeof exe - 1);
    if (n <= 0)
        return false;
    exe[n] = 0;
    for (size_t i = 0; i < a->settings->tests.n; i++)
        if (realpath(a->settings->tests.at[i].path, wanted) && !strcmp(exe, wanted))
            return true;
    return false;
}

static void note_process(pid_t pid, void *arg)
{
    struct server_driver *a = arg;
    size_t i = 0;
    if (pid == a->client)
        return;
    while (i < a->n && a->at[i].pid != pid)
        i++;
    if (i == a->n && a->n < PROCESSES)
        a->at[a->n++] = (struct driven_process){.pid = pid, .since_ms = pf_now_ms()};
    if (i < a->n) {
        a->at[i].seen = true;
        a->at[i].target = a->at[i].target || is_target(a, pid);
    }
}

/* A process that ends during the scan may hide its children from it. So a process is forgotten only
 * when it has ended itself. */
static void scan_processes(struct server_driver *a)
{
    for (size_t i = 0; i < a->n; i++)
        a->at[i].seen = false;
    pf_process_tree_visit(getpid(), note_process, a);
    for (size_t i = 0; i < a->n; i++)
        if (!a->at[i].seen && !pf_process_parent(a->at[i].pid))
            a->at[i--] = a->at[--a->n];
}

/* --- driving --- */

static void note(const struct server_driver *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note(const struct server_driver *a, const char *format, ...)
{
    struct pf_run_report r = {.status = 2};
    struct pf_error ignored;
    va_list args;
    va_start(args, format);
    vsnprintf(r.error, sizeof r.error, format, args);
    va_end(args);
    (void)!pf_run_report_write(&r, a->report, &ignored);
}

/* In the child, before exec. */
static pf_status set_client_environment(const void *arg, struct pf_error *e)
{
    unsetenv("PF_OPTIONS"); /* the client is not checked */
    unsetenv("PF_LOG_DIR");
    unsetenv("PF_RUN");
    pf_mem_setenv("PF_PORT", "%u", ((const struct driven_process *)arg)->port);
    return PF_OK;
}

static pf_status spawn(const struct pf_command *c, pid_t *pid, struct pf_error *e)
{
    sigset_t none;
    sigemptyset(&none);
    struct pf_command_setup how = {.mask = &none, .output = -1, .on_child = SIG_DFL};
    return pf_command_spawn(c, &how, pid, e);
}

static void start_client(struct server_driver *a, struct driven_process *c)
{
    char *argv[] = {"sh", "-c", (char *)a->settings->server, NULL};
    struct pf_command client = {.path = "/bin/sh",
                                .argv = argv,
                                .input = "/dev/null",
                                .prepare = set_client_environment,
                                .arg = c};
    struct pf_error e;
    c->served = true;
    a->client_of = c->pid;
    if (spawn(&client, &a->client, &e) == PF_OK)
        return;
    note(a, "the client could not be started: %s", e.text);
    a->client = 0;
}

/* Makes fd the standard input. A server may end when its standard input ends. So if it has no file
 * as its input, it gets a pipe, and the driver keeps the other end open as its own standard
 * input. */
static void replace_input(int fd)
{
    dup2(fd, STDIN_FILENO);
    close(fd);
}

/* Closes the other end of the pipe when no process of the program needs it any more. All of them
 * have the same pipe, and so do those of later runs. */
static void end_input(const struct server_driver *a)
{
    bool needed = !a->once;
    for (size_t i = 0; i < a->n; i++)
        needed |= a->at[i].target && !a->at[i].end_requested_ms;
    if (!needed)
        replace_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

/* Ends its standard input and sends SIGTERM; after the grace period, SIGKILL. */
static void request_end(const struct server_driver *a, struct driven_process *c)
{
    if (!c->end_requested_ms) {
        c->end_requested_ms = pf_now_ms();
        end_input(a);
        kill(c->pid, SIGTERM);
    } else if (pf_now_ms() - c->end_requested_ms > a->settings->grace_ms)
        kill(c->pid, SIGKILL);
}

static void drive_once(struct server_driver *a)
{
    static struct listening all[PROCESSES];
    size_t n = 0;
    scan_processes(a);
    if (a->settings->server && !a->client) {
        n = read_tcp("/proc/net/tcp", all, n, PROCESSES);
        n = read_tcp("/proc/net/tcp6", all, n, PROCESSES);
        n = read_local(all, n, PROCESSES);
    }
    for (size_t i = 0; i < a->n; i++) {
        struct driven_process *c = &a->at[i];
        const struct listening *l;
        if (!c->target)
            continue;
        if (c->end_requested_ms ||
            (a->settings->for_ms && pf_now_ms() - c->since_ms >= a->settings->for_ms))
            request_end(a, c);
        if (a->settings->server && !a->client && !c->served && (l = listens(c->pid, all, n))) {
            c->port = l->port;
            a->listened = true;
            start_client(a, c);
        }
    }
}

static void client_ended(struct server_driver *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->at[i].pid == a->client_of)
            request_end(a, &a->at[i]);
    a->client = a->client_of = 0;
}

/* Ends as the program did. */
static int end_like(int wait)
{
    if (WIFSIGNALED(wait)) {
        signal(WTERMSIG(wait), SIG_DFL);
        kill(getpid(), WTERMSIG(wait));
    }
    return pf_wait_status(wait);
}

static int drive(struct server_driver *a)
{
    for (;;) {
        int wait;
        pid_t pid = waitpid(-1, &wait, WNOHANG);
        if (pid == a->program) {
            if (a->client > 0)
                kill(a->client, SIGTERM);
            if (a->settings->server && !a->listened)
                note(a, "no port was opened");
            return end_like(wait);
        }
        if (pid > 0 && pid == a->client) {
            if (wait)
                note(a, "the client ended with status %d", pf_wait_status(wait));
            client_ended(a);
        }
        if (pid > 0)
            continue;
        drive_once(a);
        usleep(PAUSE_MS * 1000);
    }
}

int pf_server_driver_run(const struct pf_check_settings *settings, const char *path,
                         char *const *argv, const char *report, bool once)
{
    static struct server_driver a; /* too large for the stack */
    struct pf_command program = {.path = path, .argv = argv};
    struct pf_error e;
    int pipe[2];
    a = (struct server_driver){.settings = settings, .report = report, .once = once};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    bool piped = !settings->input && pipe2(pipe, O_CLOEXEC) == 0;
    if (piped)
        replace_input(pipe[0]);
    if (spawn(&program, &a.program, &e) != PF_OK) {
        note(&a, "%s", e.text);
        return 127;
    }
    if (piped)
        replace_input(pipe[1]);
    /* processes at the other ends of inherited pipes wait until these are closed */
    close_range(STDERR_FILENO + 1, ~0u, 0);
    return drive(&a);
}
