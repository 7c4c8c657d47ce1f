/* command.c - see command.h. The child sends its error through a pipe that exec closes: an empty
 * pipe means that the program runs. */
#define _GNU_SOURCE
#include "command.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pf_status redirect(const struct pf_command *c, int output, struct pf_error *e)
{
    int null = output < 0 && c->output == PF_OUTPUT_NULL ? open("/dev/null", O_WRONLY) : -1;
    int out = output >= 0 ? output : null;
    int in = c->input ? open(c->input, O_RDONLY) : STDIN_FILENO;
    if (in < 0)
        return pf_fail(e, PF_IO, "%s: %s", c->input, strerror(errno));
    if (in != STDIN_FILENO && dup2(in, STDIN_FILENO) < 0)
        return pf_fail(e, PF_IO, "%s: %s", c->input, strerror(errno));
    if (in > STDERR_FILENO)
        close(in);
    if (out >= 0 && (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0))
        return pf_fail(e, PF_IO, "%s: its output: %s", c->path, strerror(errno));
    if (null > STDERR_FILENO)
        close(null);
    return PF_OK;
}

/* In the child: returns only on an error. */
static pf_status become(const struct pf_command *c, const struct pf_command_setup *how, int report,
                        struct pf_error *e)
{
    if (how->session)
        setsid();
    signal(SIGCHLD, how->on_child);
    sigprocmask(SIG_SETMASK, how->mask, NULL);
    pf_status s = redirect(c, how->output, e);
    if (s == PF_OK && c->prepare)
        s = c->prepare(c->arg, e);
    if (s == PF_OK && c->dir && chdir(c->dir))
        s = pf_fail(e, PF_IO, "%s: %s", c->dir, strerror(errno));
    if (s != PF_OK)
        return s;
    if (c->function) {
        close(report);
        _exit(c->function(c->arg));
    }
    execve(c->path, c->argv, c->env ? c->env : environ);
    return pf_fail(e, PF_IO, "%s: %s", c->path, strerror(errno));
}

static void send_error(int fd, const struct pf_error *e)
{
    const char *at = (const char *)e;
    for (size_t left = sizeof *e; left;) {
        ssize_t n = write(fd, at, left);
        if (n < 0 && errno != EINTR)
            return;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

/* True if the child has sent an error. */
static bool take_error(int fd, struct pf_error *e)
{
    char *at = (char *)e;
    size_t have = 0;
    while (have < sizeof *e) {
        ssize_t n = read(fd, at + have, sizeof *e - have);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        have += n > 0 ? (size_t)n : 0;
    }
    return have == sizeof *e;
}

pf_status pf_command_spawn(const struct pf_command *c, const struct pf_command_setup *how,
                           pid_t *pid, struct pf_error *e)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC))
        return pf_fail(e, PF_IO, "%s: pipe: %s", c->path, strerror(errno));
    *pid = fork();
    if (*pid == 0) {
        struct pf_error why = {{0}};
        close(report[0]);
        (void)!become(c, how, report[1], &why);
        send_error(report[1], &why);
        _exit(127);
    }
    int reason = errno;
    close(report[1]);
    struct pf_error why;
    bool failed = *pid > 0 && take_error(report[0], &why);
    close(report[0]);
    if (*pid < 0)
        return pf_fail(e, PF_IO, "%s: fork: %s", c->path, strerror(reason));
    if (!failed)
        return PF_OK;
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return pf_fail(e, PF_IO, "%s", why.text);
}
