/* server_driver.c - see server_driver.h. Listening processes are found in /proc: the sockets
 * that a process has open are compared with those that the kernel lists as listening. This is
 * polled every few milliseconds, since the kernel has no event for it. */
#define _GNU_SOURCE
#include "server_driver.h"
#include "duration.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
    pid_t program;
    struct driven_process at[PROCESSES];
    size_t n;
    pid_t client, client_of;
    bool listened;
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

static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_whole(path, text, sizeof text);
    const char *s = strrchr(text, ')');
    return s && s[1] && s[2] && s[2] != 'Z' ? (pid_t)strtol(s + 3, NULL, 10) : 0;
}

static bool is_below(pid_t pid, pid_t top)
{
    for (int steps = 0; pid > 1 && steps < 64; steps++)
        if ((pid = parent_of(pid)) == top)
            return true;
    return false;
}

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

static void scan_processes(struct server_driver *a)
{
    DIR *d = opendir("/proc");
    for (size_t i = 0; i < a->n; i++)
        a->at[i].seen = false;
    for (struct dirent *f; d && (f = readdir(d));) {
        pid_t pid = (pid_t)strtol(f->d_name, NULL, 10);
        if (!isdigit((unsigned char)f->d_name[0]) || pid == a->client || !is_below(pid, getpid()))
            continue;
        size_t i = 0;
        while (i < a->n && a->at[i].pid != pid)
            i++;
        if (i == a->n && a->n < PROCESSES)
            a->at[a->n++] = (struct driven_process){.pid = pid, .since_ms = pf_now_ms()};
        if (i < a->n) {
            a->at[i].seen = true;
            a->at[i].target = a->at[i].target || is_target(a, pid);
        }
    }
    if (d)
        closedir(d);
    for (size_t i = 0; i < a->n; i++)
        if (!a->at[i].seen)
            a->at[i--] = a->at[--a->n];
}

/* --- driving --- */

static void start_client(struct server_driver *a, struct driven_process *c)
{
    c->served = true;
    a->client_of = c->pid;
    a->client = fork();
    if (a->client != 0)
        return;
    char port[16];
    snprintf(port, sizeof port, "%u", c->port);
    setenv("PF_PORT", port, 1);
    unsetenv("PF_OPTIONS"); /* the client is not checked */
    unsetenv("PF_LOG_DIR");
    unsetenv("PF_RUN");
    execl("/bin/sh", "sh", "-c", a->settings->server, (char *)NULL);
    _exit(127);
}

/* Sends SIGTERM; after the grace period, SIGKILL. */
static void request_end(const struct server_driver *a, struct driven_process *c)
{
    if (!c->end_requested_ms)
        kill(c->pid, SIGTERM);
    else if (pf_now_ms() - c->end_requested_ms > a->settings->grace_ms)
        kill(c->pid, SIGKILL);
    c->end_requested_ms = c->end_requested_ms ? c->end_requested_ms : pf_now_ms();
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

static _Noreturn void drive(struct server_driver *a)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* other processes wait for the other ends to be closed */
    close_range(STDERR_FILENO + 1, ~0u, 0);
    for (;;) {
        int wait;
        pid_t pid = waitpid(-1, &wait, WNOHANG);
        if (pid == a->program) {
            if (a->client > 0)
                kill(a->client, SIGTERM);
            if (a->settings->server && !a->listened)
                dprintf(STDERR_FILENO, PF_SERVER_DRIVER_PREFIX "no port was opened\n");
            if (WIFSIGNALED(wait)) { /* end with the same signal */
                signal(WTERMSIG(wait), SIG_DFL);
                kill(getpid(), WTERMSIG(wait));
            }
            _exit(WIFSIGNALED(wait) ? 128 + WTERMSIG(wait) : WEXITSTATUS(wait));
        }
        if (pid > 0 && pid == a->client) {
            if (wait)
                dprintf(STDERR_FILENO, PF_SERVER_DRIVER_PREFIX "the client ended with status %d\n",
                        WIFEXITED(wait) ? WEXITSTATUS(wait) : 128 + WTERMSIG(wait));
            client_ended(a);
        }
        if (pid > 0)
            continue;
        drive_once(a);
        usleep(PAUSE_MS * 1000);
    }
}

pf_status pf_server_driver_start(const struct pf_check_settings *settings, struct pf_error *e)
{
    static struct server_driver a; /* too large for the stack */
    a = (struct server_driver){.settings = settings};
    a.program = fork();
    if (a.program < 0)
        return pf_fail(e, PF_IO, "fork: %s", strerror(errno));
    if (a.program == 0)
        return PF_OK;
    drive(&a);
}
